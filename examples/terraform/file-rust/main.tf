# A file, as a resource in Rust: a program, started by a command line.
#
#     cargo build -p tenon-plugin --example file_resource
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

variable "program" {
  description = "The program that cargo built."
  type        = string
  default     = "../../../target/debug/examples/file_resource"
}

resource "denobridge_resource" "greeting" {
  command = [var.program]

  props = {
    path    = "${path.module}/greeting.txt"
    content = "Hello from Terraform\n"
  }
}

output "size" {
  value = denobridge_resource.greeting.state.size
}
