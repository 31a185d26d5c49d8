#: hook
# For `tenon terraform plan` and `tenon terraform apply`.
plugin "plugname" {
  command = ["./plugname"]
}

hooks = ["plugname"]
#: end
