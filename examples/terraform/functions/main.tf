# Functions in TypeScript that Deno runs.
#
#     terraform init && terraform apply

terraform {
  required_providers {
    denobridge = {
      source = "brad-jones/denobridge"
    }
  }
}

locals {
  title  = "Crème brûlée, and how to make it!"
  script = "${path.module}/text.ts"
}

output "slug" {
  value = provider::denobridge::call(local.script, "slug", local.title)
}

output "shortened" {
  value = provider::denobridge::call(local.script, "shorten", local.title, 12)
}

output "words" {
  value = provider::denobridge::call(local.script, "words", local.title)
}
