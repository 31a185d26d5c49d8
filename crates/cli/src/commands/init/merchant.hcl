# What a merchant is made of, for every scenario that needs one.

component "merchant" {
  variable "name" {
    type = string
  }

  variable "city" {
    type    = string
    default = "Ghent"
  }

  action "sqlite_query" "create" {
    query  = "INSERT INTO merchants (name, city) VALUES (?, ?) RETURNING id"
    params = [var.name, var.city]

    lifecycle {
      teardown {
        query  = "DELETE FROM merchants WHERE id = ?"
        params = [self.id]
      }
    }
  }

  output "id" {
    value = action.sqlite_query.create.id
  }
}
