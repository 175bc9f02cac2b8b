module client

go 1.19

require github.com/trunkline/trunkline/clients/go v0.1.0

replace github.com/trunkline/trunkline/clients/go => ../../../../../clients/go
