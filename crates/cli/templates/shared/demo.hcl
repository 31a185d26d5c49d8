#: action
# A scenario: tenon run demo.hcl
scenario "demo" {
  required_providers {
    plugname = { source = "exec:./plugname" }
  }

  variable "file" {
    type    = string
    default = "demo.txt"
  }

  action "append" "hello" {
    file = var.file
    line = "hello, World"
  }

  output "lines" {
    value = action.append.hello.lines
  }
}
#: end
