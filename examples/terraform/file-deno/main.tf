# A file, as a resource in TypeScript that Deno runs.
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

resource "denobridge_resource" "greeting" {
  path = "${path.module}/file.ts"

  props = {
    path    = "${path.module}/greeting.txt"
    content = "Hello from Terraform\n"
  }

  # The script may do what it needs and nothing else.
  permissions = {
    allow = [
      "read=${path.module}",
      "write=${path.module}",
    ]
  }
}

output "size" {
  value = denobridge_resource.greeting.state.size
}
