{{/* A file with what the values say in the place of setting-<name>, and of a number before `# setting-<name>`. Takes the root and a path below files. */}}
{{- define "redriver.file" -}}
{{- $text := .root.Files.Get (printf "files/%s" .path) -}}
{{- if not $text }}{{ fail (printf "expected files/%s in the chart" .path) }}{{ end -}}
{{- $settings := merge (dict "namespace" .root.Release.Namespace) .root.Values.settings -}}
{{- $text = regexReplaceAll "[0-9]+ # (setting-[a-zA-Z]+)" $text "${1}" -}}
{{- range $name := regexFindAll "setting-[a-zA-Z]+" $text -1 | uniq -}}
{{- $key := trimPrefix "setting-" $name -}}
{{- $value := required (printf "expected settings.%s, for %s" $key $.path) (get $settings $key) -}}
{{- $text = regexReplaceAllLiteral (printf "%s\\b" $name) $text $value -}}
{{- end -}}
{{- $text -}}
{{- end -}}

{{/* Prints an object with namespace and labels. Takes the root, the object, and labels of its own. */}}
{{- define "redriver.print" }}
{{- $labels := dict "app.kubernetes.io/instance" .root.Release.Name "app.kubernetes.io/part-of" "redriver" "app.kubernetes.io/managed-by" .root.Release.Service "helm.sh/chart" (printf "%s-%s" .root.Chart.Name .root.Chart.Version) }}
{{- $meta := .object.metadata }}
{{- $_ := set $meta "namespace" .root.Release.Namespace }}
{{- $_ := set $meta "labels" (merge $labels (.labels | default dict) ($meta.labels | default dict)) }}
{{- if hasPrefix "monitoring.coreos.com/" .object.apiVersion }}
{{- $_ := set $meta "labels" (merge (deepCopy .root.Values.monitoringLabels) $meta.labels) }}
{{- end }}
---
{{ toYaml .object }}
{{- end }}

{{/* As JSON: the ConfigMaps that kustomizations generate, by name. Takes the root and the folders in order. */}}
{{- define "redriver.configMaps" -}}
{{- $maps := dict -}}
{{- range $folder := .folders -}}
{{- $kustomization := include "redriver.file" (dict "root" $.root "path" (printf "%s/kustomization.yaml" $folder)) | fromYaml -}}
{{- range $generator := $kustomization.configMapGenerator -}}
{{- $map := get $maps $generator.name | default (dict "labels" (dig "options" "labels" dict $generator) "data" dict) -}}
{{- range $literal := $generator.literals -}}
{{- $parts := splitn "=" 2 $literal -}}
{{- $_ := set $map.data $parts._0 $parts._1 -}}
{{- end -}}
{{- range $file := $generator.files -}}
{{- $_ := set $map.data $file ($.root.Files.Get (printf "files/%s/%s" $folder $file)) -}}
{{- end -}}
{{- $_ := set $maps $generator.name $map -}}
{{- end -}}
{{- end -}}
{{- toJson $maps -}}
{{- end -}}
