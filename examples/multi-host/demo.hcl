# The plugin as a provider of a scenario: its action writes a forecast into a file.
#
#     tenon run demo.hcl
#
# The source is the Python file; typescript/weather.mjs and ../../target/debug/examples/weather do the same.

scenario "demo" {
  required_providers {
    weather = { source = "exec:python/weather.py" }
  }

  action "publish" "oslo" {
    city = "Oslo"
    days = 2
    file = "oslo.txt"
  }

  output "lines" {
    value = action.publish.oslo.lines
  }
}
