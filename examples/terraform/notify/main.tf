# An action in Python: tells a webhook what has happened. Needs Terraform 1.14.
#
#     terraform init && terraform apply -var url=https://example.com/hook
#
# The action runs whenever the release changes. To run it by itself:
#
#     terraform apply -var url=https://example.com/hook -invoke=action.denobridge_action.announce

terraform {
  required_version = ">= 1.14"

  required_providers {
    denobridge = {
      source = "brad-jones/denobridge"
    }
  }
}

variable "url" {
  description = "Where the messages are posted."
  type        = string
}

variable "release" {
  description = "What is announced."
  type        = string
  default     = "1.0.0"
}

action "denobridge_action" "announce" {
  config {
    path = "${path.module}/notify.py"

    props = {
      url      = var.url
      messages = ["Release ${var.release} is out", "Thanks to everybody"]
    }
  }
}

resource "terraform_data" "release" {
  input = var.release

  lifecycle {
    action_trigger {
      events  = [after_create, after_update]
      actions = [action.denobridge_action.announce]
    }
  }
}
