package devstack

import (
	"context"
	"errors"
	"fmt"
	"time"

	"go.temporal.io/api/enums/v1"
	namespacepb "go.temporal.io/api/namespace/v1"
	"go.temporal.io/api/operatorservice/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"
	"google.golang.org/protobuf/types/known/durationpb"

	"vestnik/internal/protocol"
)

// Retention is how long a namespace keeps the history of a closed workflow.
// A workflow ID is a unique key for that long only.
const Retention = 30 * 24 * time.Hour

// SearchAttributes are the attributes, all of type Keyword, that a namespace
// of Vestnik needs.
var SearchAttributes = []string{
	protocol.DeliveryState.GetName(),
	protocol.Destination.GetName(),
	protocol.PostType.GetName(),
	protocol.ParkReason.GetName(),
}

// PrepareNamespace makes the namespace if it is not there, sets its retention
// and adds the search attributes it lacks. It may be repeated, and several
// processes may do it at once. On Temporal Cloud, where namespaces are not
// made over this API, use Cloud's own tools instead.
func PrepareNamespace(ctx context.Context, service client.Client, namespace string) error {
	_, err := service.WorkflowService().RegisterNamespace(ctx, &workflowservice.RegisterNamespaceRequest{
		Namespace:                        namespace,
		WorkflowExecutionRetentionPeriod: durationpb.New(Retention),
	})
	var exists *serviceerror.NamespaceAlreadyExists
	switch {
	case errors.As(err, &exists):
		if err := setRetention(ctx, service, namespace); err != nil {
			return err
		}
	case err != nil:
		return fmt.Errorf("make namespace %s: %w", namespace, err)
	}
	return addSearchAttributes(ctx, service, namespace)
}

func setRetention(ctx context.Context, service client.Client, namespace string) error {
	described, err := service.WorkflowService().DescribeNamespace(ctx, &workflowservice.DescribeNamespaceRequest{Namespace: namespace})
	if err != nil {
		return fmt.Errorf("look at namespace %s: %w", namespace, err)
	}
	if described.GetConfig().GetWorkflowExecutionRetentionTtl().AsDuration() == Retention {
		return nil
	}
	err = untilSettled(ctx, func() error {
		_, err := service.WorkflowService().UpdateNamespace(ctx, &workflowservice.UpdateNamespaceRequest{
			Namespace: namespace,
			Config:    &namespacepb.NamespaceConfig{WorkflowExecutionRetentionTtl: durationpb.New(Retention)},
		})
		return err
	})
	if err != nil {
		return fmt.Errorf("set the retention of namespace %s: %w", namespace, err)
	}
	return nil
}

func addSearchAttributes(ctx context.Context, service client.Client, namespace string) error {
	err := untilSettled(ctx, func() error {
		known, err := service.OperatorService().ListSearchAttributes(ctx, &operatorservice.ListSearchAttributesRequest{Namespace: namespace})
		if err != nil {
			return err
		}
		missing := map[string]enums.IndexedValueType{}
		for _, name := range SearchAttributes {
			if _, there := known.GetCustomAttributes()[name]; !there {
				missing[name] = enums.INDEXED_VALUE_TYPE_KEYWORD
			}
		}
		if len(missing) == 0 {
			return nil
		}
		_, err = service.OperatorService().AddSearchAttributes(ctx, &operatorservice.AddSearchAttributesRequest{
			Namespace: namespace, SearchAttributes: missing,
		})
		return err
	})
	if err != nil {
		return fmt.Errorf("add search attributes to namespace %s: %w", namespace, err)
	}
	return nil
}

// untilSettled repeats a change of a namespace: the server answers
// Unavailable when two of them meet (1.29.1, "conditional update error").
func untilSettled(ctx context.Context, change func() error) error {
	for attempt := time.Duration(1); ; attempt++ {
		err := change()
		var unavailable *serviceerror.Unavailable
		if err == nil || !errors.As(err, &unavailable) || attempt == 50 {
			return err
		}
		if wait(ctx, min(attempt, 20)*5*time.Millisecond) != nil {
			return err
		}
	}
}
