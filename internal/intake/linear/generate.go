package linear

//go:generate sh -c "gunzip -c lineartest/testdata/schema.graphql.gz > schema.graphql && go tool genqlient genqlient.yaml; s=$?; rm -f schema.graphql; exit $s"
