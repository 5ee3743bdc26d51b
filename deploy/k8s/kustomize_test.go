// Package k8s holds no code: its tests render what is deployed as kustomize
// does and read it as the API server would. It is a module of its own, because
// Vestnik itself needs nothing of Kubernetes.
package k8s

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/util/validation"
	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/kyaml/filesys"
	"sigs.k8s.io/yaml"
)

const version = "5f0c2a1"

// render is what `kubectl kustomize folder | sed s/VERSION/…/g` prints, each
// object decoded into its type, of which every field must exist.
func render(t *testing.T, folder string) []any {
	t.Helper()
	rendered, err := krusty.MakeKustomizer(krusty.MakeDefaultOptions()).Run(filesys.MakeFsOnDisk(), folder)
	if err != nil {
		t.Fatal(err)
	}
	var objects []any
	for _, resource := range rendered.Resources() {
		text, err := resource.AsYAML()
		if err != nil {
			t.Fatal(err)
		}
		text = []byte(strings.ReplaceAll(string(text), "VERSION", version))
		var object any
		switch resource.GetKind() {
		case "ConfigMap":
			object = &corev1.ConfigMap{}
		case "Deployment":
			object = &appsv1.Deployment{}
		case "HorizontalPodAutoscaler":
			object = &autoscalingv2.HorizontalPodAutoscaler{}
		case "Job":
			object = &batchv1.Job{}
		case "Namespace":
			object = &corev1.Namespace{}
		case "NetworkPolicy":
			object = &networkingv1.NetworkPolicy{}
		case "PodDisruptionBudget":
			object = &policyv1.PodDisruptionBudget{}
		case "Service":
			object = &corev1.Service{}
		case "ServiceAccount":
			object = &corev1.ServiceAccount{}
		default:
			t.Fatalf("%s: a kind that nobody knows here", resource.GetKind())
		}
		if err := yaml.UnmarshalStrict(text, object); err != nil {
			t.Fatalf("%s %s: %v", resource.GetKind(), resource.GetName(), err)
		}
		meta := object.(metav1.Object)
		for _, fault := range validation.IsDNS1123Subdomain(meta.GetName()) {
			t.Errorf("%s %s: %s", resource.GetKind(), meta.GetName(), fault)
		}
		objects = append(objects, object)
	}
	return objects
}

// of are the objects of one type.
func of[T any](objects []any) []T {
	var found []T
	for _, object := range objects {
		if one, is := object.(T); is {
			found = append(found, one)
		}
	}
	return found
}

// pods are the pods of a folder, by the name of what makes them.
func pods(t *testing.T, folder string) map[string]corev1.PodTemplateSpec {
	t.Helper()
	found := map[string]corev1.PodTemplateSpec{}
	objects := render(t, folder)
	for _, deployment := range of[*appsv1.Deployment](objects) {
		found[deployment.Name] = deployment.Spec.Template
	}
	for _, job := range of[*batchv1.Job](objects) {
		found[job.Name] = job.Spec.Template
	}
	return found
}

var folders = []string{"base", "migrate", "worker"}

func TestPodsRunWithoutPrivilegesAndWithSecretsAsFiles(t *testing.T) {
	t.Parallel()
	for _, folder := range folders {
		for name, pod := range pods(t, folder) {
			security := pod.Spec.SecurityContext
			if !*security.RunAsNonRoot || *security.RunAsUser != 65532 || security.SeccompProfile.Type != corev1.SeccompProfileTypeRuntimeDefault {
				t.Errorf("%s: not an unprivileged user's: %+v", name, security)
			}
			if *pod.Spec.AutomountServiceAccountToken || *pod.Spec.EnableServiceLinks {
				t.Errorf("%s: gets what it has no use for", name)
			}
			for _, container := range pod.Spec.Containers {
				security := container.SecurityContext
				if !*security.ReadOnlyRootFilesystem || *security.AllowPrivilegeEscalation || !slices.Equal(security.Capabilities.Drop, []corev1.Capability{"ALL"}) {
					t.Errorf("%s: may more than it must: %+v", name, security)
				}
				if container.Image != "registry.example/vestnik:"+version {
					t.Errorf("%s: image %s", name, container.Image)
				}
				if container.Resources.Requests.Memory().IsZero() || container.Resources.Limits.Memory().IsZero() {
					t.Errorf("%s: no limit", name)
				}
				for _, variable := range container.Env {
					secret := strings.HasSuffix(variable.Name, "_TOKEN") || strings.HasSuffix(variable.Name, "_SECRET") || variable.Name == "DATABASE_URL"
					if secret || variable.ValueFrom != nil {
						t.Errorf("%s: %s is no file", name, variable.Name)
					}
				}
			}
		}
	}
}

func TestWhatServesIsProbedAndReachable(t *testing.T) {
	t.Parallel()
	for _, folder := range []string{"base", "worker"} {
		objects := render(t, folder)
		for _, deployment := range of[*appsv1.Deployment](objects) {
			container := deployment.Spec.Template.Spec.Containers[0]
			ports := map[string]int32{}
			for _, port := range container.Ports {
				ports[port.Name] = port.ContainerPort
			}
			for path, probe := range map[string]*corev1.Probe{"/healthz": container.LivenessProbe, "/readyz": container.ReadinessProbe} {
				if probe.HTTPGet.Path != path || ports[probe.HTTPGet.Port.StrVal] != 8081 {
					t.Errorf("%s: probe %+v", deployment.Name, probe.HTTPGet)
				}
			}
			for _, service := range of[*corev1.Service](objects) {
				for _, port := range service.Spec.Ports {
					if selects(&metav1.LabelSelector{MatchLabels: service.Spec.Selector}, deployment) && ports[port.TargetPort.StrVal] == 0 {
						t.Errorf("%s leads to no port of %s", service.Name, deployment.Name)
					}
				}
			}
		}
	}
}

// Budgets and autoscalers of a version are about its own pods: a budget over
// two versions would let one of them be cleared away whole.
func TestEachVersionsWorkersAreADeploymentWithABudgetAndAnAutoscalerOfItsOwn(t *testing.T) {
	t.Parallel()
	objects := render(t, "worker")
	deployment := of[*appsv1.Deployment](objects)[0]
	if deployment.Name != "vestnik-worker-"+version || deployment.Spec.Replicas != nil {
		t.Errorf("deployment %s with replicas %v", deployment.Name, deployment.Spec.Replicas)
	}
	if !slices.Contains(deployment.Spec.Template.Spec.Containers[0].Env, corev1.EnvVar{Name: "TEMPORAL_WORKER_BUILD_ID", Value: version}) {
		t.Error("the workers do not know which version they are")
	}
	if got := deployment.Spec.Selector.MatchLabels["app.kubernetes.io/version"]; got != version {
		t.Errorf("the deployment takes pods of version %q", got)
	}
	budget := of[*policyv1.PodDisruptionBudget](objects)[0]
	if !selects(budget.Spec.Selector, deployment) || budget.Spec.Selector.MatchLabels["app.kubernetes.io/version"] != version {
		t.Errorf("the budget is about %v", budget.Spec.Selector)
	}
	if scaler := of[*autoscalingv2.HorizontalPodAutoscaler](objects)[0]; scaler.Spec.ScaleTargetRef.Name != deployment.Name {
		t.Errorf("the autoscaler scales %s", scaler.Spec.ScaleTargetRef.Name)
	}
}

func TestNetworkPoliciesLetEachRoleDoWhatItMustAndNoMore(t *testing.T) {
	t.Parallel()
	policies := of[*networkingv1.NetworkPolicy](render(t, "base"))
	for folder, want := range map[string]string{
		"base":    "in 8080 8081, out 53 443 5432 7233",
		"worker":  "in 8081, out 53 443 5432 7233",
		"migrate": "in, out 53 5432",
	} {
		for name, pod := range pods(t, folder) {
			in, out, denied := map[int32]bool{}, map[int32]bool{}, false
			named := map[string]int32{}
			for _, port := range pod.Spec.Containers[0].Ports {
				named[port.Name] = port.ContainerPort
			}
			number := func(port networkingv1.NetworkPolicyPort) int32 {
				if port.Port.StrVal != "" {
					return named[port.Port.StrVal]
				}
				return port.Port.IntVal
			}
			for _, policy := range policies {
				selector, err := metav1.LabelSelectorAsSelector(&policy.Spec.PodSelector)
				if err != nil {
					t.Fatal(err)
				}
				if !selector.Matches(labels.Set(pod.Labels)) {
					continue
				}
				denied = denied || len(policy.Spec.PolicyTypes) == 2 && policy.Spec.Ingress == nil && policy.Spec.Egress == nil
				for _, rule := range policy.Spec.Ingress {
					if len(rule.From) == 0 {
						t.Errorf("%s: %s lets everybody in", name, policy.Name)
					}
					for _, port := range rule.Ports {
						in[number(port)] = true
					}
				}
				for _, rule := range policy.Spec.Egress {
					for _, port := range rule.Ports {
						out[number(port)] = true
					}
				}
			}
			if got := fmt.Sprintf("in%s, out%s", list(in), list(out)); got != want || !denied {
				t.Errorf("%s: %s; want %s; the rest is refused: %v", name, got, want, denied)
			}
		}
	}
}

func list(ports map[int32]bool) string {
	var sorted []int32
	for port := range ports {
		sorted = append(sorted, port)
	}
	slices.Sort(sorted)
	var text strings.Builder
	for _, port := range sorted {
		fmt.Fprintf(&text, " %d", port)
	}
	return text.String()
}

func selects(selector *metav1.LabelSelector, deployment *appsv1.Deployment) bool {
	parsed, err := metav1.LabelSelectorAsSelector(selector)
	return err == nil && parsed.Matches(labels.Set(deployment.Spec.Template.Labels))
}
