# The plugin as a provider of Terraform.
#
#     tenon provider pack weather --write-config -- python3 ../python/weather.py
#     terraform init && terraform apply
#
# `tenon terraform plan -destroy` also calls its hook, which tenon.hcl names.

terraform {
  required_providers {
    weather = {
      source = "tenon/weather"
    }
  }
}

provider "weather" {
  folder = "${path.module}/stations"
}

resource "weather_station" "roof" {
  name      = "roof"
  city      = "Oslo"
  elevation = 12
}

data "weather_climate" "roof" {
  city = weather_station.roof.city
}

output "label" {
  value = weather_station.roof.label
}

output "is_cold" {
  value = data.weather_climate.roof.is_cold
}

output "forecast" {
  value = provider::weather::forecast("Oslo", 2)
}
