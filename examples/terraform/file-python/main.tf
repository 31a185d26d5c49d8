# A file, as a resource in Python.
#
#     terraform init && terraform apply
#
# Change the content: the file is updated. Change the path: it is replaced.

terraform {
  required_providers {
    denobridge = {
      source = "brad-jones/denobridge"
    }
  }
}

# Without `permissions`, a script that Deno does not run may do everything that Terraform may do.
resource "denobridge_resource" "greeting" {
  path = "${path.module}/file.py"

  props = {
    path    = "${path.module}/greeting.txt"
    content = "Hello from Terraform\n"
  }
}

output "size" {
  value = denobridge_resource.greeting.state.size
}
