package protocol

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"go.temporal.io/api/enums/v1"
	namespacepb "go.temporal.io/api/namespace/v1"
	"go.temporal.io/api/operatorservice/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"
	"google.golang.org/protobuf/types/known/durationpb"
)

// NamespaceRetention is how long a namespace keeps the history of a closed workflow.
// A workflow ID is a unique key for that long only.
const NamespaceRetention = 30 * 24 * time.Hour

// SearchAttributes are the attributes, all of type Keyword, that a namespace
// of Vestnik needs.
var SearchAttributes = []string{
	DeliveryState.GetName(),
	Destination.GetName(),
	PostType.GetName(),
	ParkReason.GetName(),
}

// PrepareNamespace gives a namespace what workflows need of it: it makes it if it is
// not there, sets its retention and adds the search attributes it lacks. It may be
// repeated, and several processes may do it at once. On Temporal Cloud, where
// namespaces are not made over this API, use Cloud's own tools instead.
func PrepareNamespace(ctx context.Context, service client.Client, namespace string) error {
	_, err := service.WorkflowService().RegisterNamespace(ctx, &workflowservice.RegisterNamespaceRequest{
		Namespace:                        namespace,
		WorkflowExecutionRetentionPeriod: durationpb.New(NamespaceRetention),
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
	return AddSearchAttributes(ctx, service, namespace)
}

func setRetention(ctx context.Context, service client.Client, namespace string) error {
	described, err := service.WorkflowService().DescribeNamespace(ctx, &workflowservice.DescribeNamespaceRequest{Namespace: namespace})
	if err != nil {
		return fmt.Errorf("look at namespace %s: %w", namespace, err)
	}
	if described.GetConfig().GetWorkflowExecutionRetentionTtl().AsDuration() == NamespaceRetention {
		return nil
	}
	err = untilSettled(ctx, func() error {
		_, err := service.WorkflowService().UpdateNamespace(ctx, &workflowservice.UpdateNamespaceRequest{
			Namespace: namespace,
			Config:    &namespacepb.NamespaceConfig{WorkflowExecutionRetentionTtl: durationpb.New(NamespaceRetention)},
		})
		return err
	})
	if err != nil {
		return fmt.Errorf("set the retention of namespace %s: %w", namespace, err)
	}
	return nil
}

// MissingSearchAttributes returns those that a namespace does not have.
func MissingSearchAttributes(ctx context.Context, service client.Client, namespace string) ([]string, error) {
	known, err := service.OperatorService().ListSearchAttributes(ctx, &operatorservice.ListSearchAttributesRequest{Namespace: namespace})
	if err != nil {
		return nil, fmt.Errorf("list the search attributes of namespace %s: %w", namespace, err)
	}
	var missing []string
	for _, name := range SearchAttributes {
		if _, there := known.GetCustomAttributes()[name]; !there {
			missing = append(missing, name)
		}
	}
	return missing, nil
}

// AddSearchAttributes adds what a namespace lacks, and returns once workflows
// can be started with them. Clusters that let only their operators add some
// refuse.
func AddSearchAttributes(ctx context.Context, service client.Client, namespace string) error {
	err := untilSettled(ctx, func() error {
		missing, err := MissingSearchAttributes(ctx, service, namespace)
		if err != nil || len(missing) == 0 {
			return err
		}
		request := &operatorservice.AddSearchAttributesRequest{Namespace: namespace, SearchAttributes: map[string]enums.IndexedValueType{}}
		for _, name := range missing {
			request.SearchAttributes[name] = enums.INDEXED_VALUE_TYPE_KEYWORD
		}
		if _, err := service.OperatorService().AddSearchAttributes(ctx, request); err != nil {
			return fmt.Errorf("add the search attributes %v to namespace %s: %w", missing, namespace, err)
		}
		return nil
	})
	if err != nil {
		return err
	}
	return untilKnown(ctx, service, namespace)
}

// cacheTime bounds how long a server may go on without what a namespace has
// got: it reads its namespaces anew every two seconds (1.31.2,
// system.namespaceCacheRefreshInterval).
const cacheTime = 20 * time.Second

// untilKnown waits until the server resolves every search attribute. Before
// that it refuses workflows that are started with one ("has no mapping defined
// for search attribute"). Other processes of a cluster may be two seconds
// behind the one that has answered.
func untilKnown(ctx context.Context, service client.Client, namespace string) error {
	query := strings.Join(SearchAttributes, "='' AND ") + "=''"
	for began := time.Now(); ; {
		_, err := service.WorkflowService().CountWorkflowExecutions(ctx, &workflowservice.CountWorkflowExecutionsRequest{Namespace: namespace, Query: query})
		var unknown *serviceerror.InvalidArgument
		var tooMany *serviceerror.ResourceExhausted // ten such questions a second and namespace are answered
		if err == nil {
			return nil
		}
		if !errors.As(err, &unknown) && !errors.As(err, &tooMany) || time.Since(began) > cacheTime {
			return fmt.Errorf("ask namespace %s for its search attributes: %w", namespace, err)
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(200 * time.Millisecond):
		}
	}
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
		select {
		case <-ctx.Done():
			return err
		case <-time.After(min(attempt, 20) * 5 * time.Millisecond):
		}
	}
}
