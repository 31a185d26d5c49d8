# The plugin as a script of denobridge. It has one resource, one data source and one action, so denobridge
# need not say which of them it calls.
#
#     terraform init && terraform apply

terraform {
  required_providers {
    denobridge = {
      source = "brad-jones/denobridge"
    }
  }
}

variable "script" {
  description = "The plugin: an executable file."
  type        = string
  default     = "../python/weather.py"
}

resource "denobridge_resource" "roof" {
  command = [var.script]

  props = {
    name      = "roof"
    city      = "Oslo"
    elevation = 12
  }
}

data "denobridge_datasource" "roof" {
  command = [var.script]
  props   = { city = denobridge_resource.roof.props.city }
}

output "label" {
  value = denobridge_resource.roof.state.label
}

output "is_cold" {
  value = data.denobridge_datasource.roof.result.is_cold
}

output "forecast" {
  value = provider::denobridge::call(var.script, "forecast", "Oslo", 2)
}
