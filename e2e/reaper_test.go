package e2e

import (
	"context"
	"os"
	"slices"
	"syscall"

	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/interceptor"
)

// dieVariable names the moment at which a worker process kills itself with
// SIGKILL, as the out-of-memory killer would: "before StartDeliveries" and
// "after Park" are about an activity, "after ExecuteWorkflow", "before UpdateWorkflow" and "after
// SignalWithStartWorkflow" about a call to Temporal.
const dieVariable = "VESTNIK_E2E_DIE"

type reaper struct {
	interceptor.InterceptorBase
	at []string
}

func (r *reaper) reached(moment string) {
	if slices.Contains(r.at, moment) {
		_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
		select {}
	}
}

func (r *reaper) InterceptActivity(_ context.Context, next interceptor.ActivityInboundInterceptor) interceptor.ActivityInboundInterceptor {
	return &mortalActivity{ActivityInboundInterceptorBase: interceptor.ActivityInboundInterceptorBase{Next: next}, reaper: r}
}

func (r *reaper) InterceptClient(next interceptor.ClientOutboundInterceptor) interceptor.ClientOutboundInterceptor {
	return &mortalClient{ClientOutboundInterceptorBase: interceptor.ClientOutboundInterceptorBase{Next: next}, reaper: r}
}

type mortalActivity struct {
	interceptor.ActivityInboundInterceptorBase
	reaper *reaper
}

func (a *mortalActivity) ExecuteActivity(ctx context.Context, in *interceptor.ExecuteActivityInput) (any, error) {
	name := activity.GetInfo(ctx).ActivityType.Name
	a.reaper.reached("before " + name)
	result, err := a.Next.ExecuteActivity(ctx, in)
	a.reaper.reached("after " + name)
	return result, err
}

type mortalClient struct {
	interceptor.ClientOutboundInterceptorBase
	reaper *reaper
}

func (c *mortalClient) ExecuteWorkflow(ctx context.Context, in *interceptor.ClientExecuteWorkflowInput) (client.WorkflowRun, error) {
	run, err := c.Next.ExecuteWorkflow(ctx, in)
	c.reaper.reached("after ExecuteWorkflow")
	return run, err
}

func (c *mortalClient) UpdateWorkflow(ctx context.Context, in *interceptor.ClientUpdateWorkflowInput) (client.WorkflowUpdateHandle, error) {
	c.reaper.reached("before UpdateWorkflow")
	handle, err := c.Next.UpdateWorkflow(ctx, in)
	c.reaper.reached("after UpdateWorkflow")
	return handle, err
}

func (c *mortalClient) SignalWithStartWorkflow(ctx context.Context, in *interceptor.ClientSignalWithStartWorkflowInput) (client.WorkflowRun, error) {
	run, err := c.Next.SignalWithStartWorkflow(ctx, in)
	c.reaper.reached("after SignalWithStartWorkflow")
	return run, err
}
