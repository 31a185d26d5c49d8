# The hook of the plugin, for `tenon terraform`.

plugin "weather" {
  command = ["python3", "../python/weather.py"]
}

hooks = ["weather"]
