# What the names in the expressions stand for. Terraform reads this file; expressions/variables.rs
# says the same in Rust, and cases/variables.txt holds both to it.

resource "terraform_data" "unknown_string" {
  input = "x"
}

resource "terraform_data" "unknown_number" {
  input = 1
}

resource "terraform_data" "unknown_bool" {
  input = true
}

resource "terraform_data" "unknown_list" {
  input = tolist(["x"])
}

resource "terraform_data" "unknown_set" {
  input = toset(["x"])
}

resource "terraform_data" "unknown_map" {
  input = tomap({ a = "x" })
}

resource "terraform_data" "unknown_tuple" {
  input = ["x", 1]
}

resource "terraform_data" "unknown_object" {
  input = { name = "x", port = 1 }
}

resource "terraform_data" "unknown_objects" {
  input = tolist([{ name = "x", port = 1 }])
}

locals {
  list           = tolist(["a", "b", "c"])
  numbers        = tolist([1, 2, 3])
  set            = toset(["b", "a"])
  map            = tomap({ a = "x", b = "y" })
  map_of_numbers = tomap({ a = 1, b = 2 })
  objects        = tolist([{ name = "n1", port = 1 }, { name = "n2", port = 2 }])
  set_of_objects = toset([{ name = "n1", port = 1 }, { name = "n2", port = 2 }])
  map_of_objects = tomap({ a = { port = 1 }, b = { port = 2 } })
  list_of_lists  = tolist([tolist([1, 2]), tolist([3])])
  empty_list     = slice(tolist(["a"]), 0, 0)
  empty_objects  = slice(tolist([{ name = "n1", port = 1 }]), 0, 0)
  tuple          = [1, "a", true]
  object         = { name = "web", port = 80, tags = ["t"] }

  null_string = tostring(null)
  null_number = tonumber(null)
  null_bool   = tobool(null)
  null_list   = true ? null : tolist(["a"])
  null_map    = true ? null : tomap({ a = "a" })
  null_object = true ? null : { name = "x" }
  null_tuple  = true ? null : ["x"]

  unknown         = jsondecode(terraform_data.unknown_string.output)
  unknown_string  = terraform_data.unknown_string.output
  unknown_id      = terraform_data.unknown_string.id
  unknown_number  = terraform_data.unknown_number.output
  unknown_bool    = terraform_data.unknown_bool.output
  unknown_list    = terraform_data.unknown_list.output
  unknown_set     = terraform_data.unknown_set.output
  unknown_map     = terraform_data.unknown_map.output
  unknown_tuple   = terraform_data.unknown_tuple.output
  unknown_object  = terraform_data.unknown_object.output
  unknown_objects = terraform_data.unknown_objects.output
  partly_unknown  = tolist(["a", terraform_data.unknown_string.output])

  secret         = sensitive("pa55")
  secret_key     = sensitive("name")
  secret_number  = sensitive(7)
  secret_bool    = sensitive(true)
  secret_index   = sensitive(1)
  secret_null    = sensitive(tostring(null))
  secret_list    = sensitive(tolist(["a", "b"]))
  secret_set     = sensitive(toset(["a", "b"]))
  secret_map     = sensitive(tomap({ a = "x", b = "y" }))
  secret_object  = sensitive({ name = "web", port = 80 })
  secret_tuple   = sensitive(["a", 1])
  secret_unknown = sensitive(terraform_data.unknown_string.output)
  user           = { name = "root", password = sensitive("pa55") }
  users          = tolist([{ name = "root", password = sensitive("pa55") }, { name = "guest", password = "guest" }])
  secrets        = ["a", sensitive("b")]

  template        = "hello, $${name}!"
  secret_template = sensitive("hello, $${name}!")
  templates = {
    greeting = "hello, $${name}!"
    broken   = "hello, $${name"
    calls    = "$${upper(name)}"
    nested   = "$${templatestring(inner, {})}"
    outside  = "$${local.object.name}"
    loop     = "%%{ for n in names }<$${n}>%%{ endfor }"
    number   = "$${name}"
    list     = "$${[name]}"
    failing  = "$${name + 1}"
  }
}
