#: function resource
#: bash
# terraform init && terraform apply, after: tenon provider install --write-config
terraform {
  required_providers {
    denobridge = { source = "brad-jones/denobridge" }
  }
}

#: function
output "greeting" {
  value = provider::denobridge::call("${path.module}/plugname", "greet", "World")
}

#: end
#: resource
resource "denobridge_resource" "note" {
  path  = "${path.module}/plugname"
  props = { path = "${path.module}/note.txt", text = "hello, World" }
}
#: end
#: end
#: python typescript rust
# terraform init && terraform apply, after: tenon provider pack plugname --dev --write-config -- ./plugname
terraform {
  required_providers {
    plugname = { source = "tenon/plugname" }
  }
}

#: function
output "greeting" {
  value = provider::plugname::greet("World")
}

#: end
#: resource
resource "plugname_note" "hello" {
  path = "${path.module}/note.txt"
  text = "hello, World"
}
#: end
#: end
#: end
