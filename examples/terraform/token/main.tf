# Secrets that no state holds, in Python: a token that lasts as long as Terraform runs, and an
# account with a password. Needs Terraform 1.11 or OpenTofu 1.11.
#
#     terraform init && terraform apply -var password=correct-horse
#     terraform apply -var password=battery-staple -var password_version=2

terraform {
  required_version = ">= 1.11"

  required_providers {
    denobridge = {
      source = "brad-jones/denobridge"
    }
  }
}

variable "password" {
  description = "The password of the account."
  type        = string
  ephemeral   = true
  sensitive   = true
}

variable "password_version" {
  description = "Another number, and the password is written anew."
  type        = number
  default     = 1
}

# Opened when something needs it, renewed every five minutes, and closed at the end unless something fails.
ephemeral "denobridge_ephemeral_resource" "token" {
  path = "${path.module}/lease.py"

  props = {
    folder  = "${path.module}/leases"
    seconds = 600
  }
}

resource "denobridge_resource" "account" {
  path = "${path.module}/account.py"

  props = {
    folder = "${path.module}/accounts"
    user   = "ada"
  }

  # A real service would ask for the token before it lets anybody change an account.
  write_only_props = {
    password = var.password
    token    = ephemeral.denobridge_ephemeral_resource.token.sensitive_result.token
  }

  # The token is another one each time, and other values alone plan nothing: another version does.
  write_only_props_version = var.password_version
}
