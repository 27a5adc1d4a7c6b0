/** The fields that deploy/ uses of types that clusters get from operators. Any other field counts as unknown. */
import type { ObjectMeta } from "kubernetes-types/meta/v1.js";

interface Selector {
  readonly matchLabels: Readonly<Record<string, string>>;
}

export interface PodMonitor {
  readonly apiVersion: "monitoring.coreos.com/v1";
  readonly kind: "PodMonitor";
  readonly metadata: ObjectMeta;
  readonly spec: {
    readonly jobLabel: string;
    readonly selector: Selector;
    readonly podMetricsEndpoints: readonly {
      readonly port: string;
      readonly path: string;
      readonly interval: string;
      readonly scrapeTimeout: string;
    }[];
  };
}

export interface PrometheusRule {
  readonly apiVersion: "monitoring.coreos.com/v1";
  readonly kind: "PrometheusRule";
  readonly metadata: ObjectMeta;
  readonly spec: {
    readonly groups: readonly {
      readonly name: string;
      readonly rules: readonly {
        readonly alert: string;
        readonly expr: string;
        readonly for?: string;
        readonly labels: Readonly<Record<string, string>>;
        readonly annotations: Readonly<Record<string, string>>;
      }[];
    }[];
  };
}

export interface ScaledObject {
  readonly apiVersion: "keda.sh/v1alpha1";
  readonly kind: "ScaledObject";
  readonly metadata: ObjectMeta;
  readonly spec: {
    readonly scaleTargetRef: { readonly name: string };
    readonly minReplicaCount: number;
    readonly maxReplicaCount: number;
    readonly fallback: { readonly failureThreshold: number; readonly replicas: number };
    readonly advanced: {
      readonly horizontalPodAutoscalerConfig: {
        readonly behavior: { readonly scaleDown: { readonly stabilizationWindowSeconds: number } };
      };
    };
    readonly triggers: readonly {
      readonly type: "metrics-api";
      readonly metadata: {
        readonly format: "prometheus";
        readonly url: string;
        readonly valueLocation: string;
        readonly targetValue: string;
      };
    }[];
  };
}
