{{- define "schema-publisher.name" -}}
{{- if contains .Chart.Name .Release.Name }}{{ .Release.Name | trunc 50 | trimSuffix "-" }}{{ else }}{{ printf "%s-%s" .Release.Name .Chart.Name | trunc 50 | trimSuffix "-" }}{{ end }}
{{- end }}

{{- define "schema-publisher.selector" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "schema-publisher.labels" -}}
{{ include "schema-publisher.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | quote }}
{{- end }}

{{- define "schema-publisher.image" -}}
{{- if .Values.image.digest }}{{ printf "%s@%s" .Values.image.repository .Values.image.digest }}{{ else }}{{ printf "%s:%s" .Values.image.repository .Values.image.tag }}{{ end }}
{{- end }}

{{- define "schema-publisher.claim" -}}
{{- .Values.persistence.existingClaim | default (include "schema-publisher.name" .) }}
{{- end }}

{{/* What the service's pod and the Job's have in common: the user, and what the service's user may do. */}}
{{- define "schema-publisher.pod" -}}
serviceAccountName: {{ include "schema-publisher.name" . }}
# The service never calls the API of Kubernetes.
automountServiceAccountToken: false
enableServiceLinks: false
securityContext:
  runAsNonRoot: true
  runAsUser: 10001
  runAsGroup: 10001
  fsGroup: 10001
  fsGroupChangePolicy: OnRootMismatch
  seccompProfile: {type: RuntimeDefault}
{{- with .Values.image.pullSecrets }}
imagePullSecrets:
  {{- range . }}
  - name: {{ . | quote }}
  {{- end }}
{{- end }}
{{- with .Values.nodeSelector }}
nodeSelector: {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.tolerations }}
tolerations: {{- toYaml . | nindent 2 }}
{{- end }}
volumes:
  - name: state
    {{- if .Values.persistence.enabled }}
    persistentVolumeClaim: {claimName: {{ include "schema-publisher.claim" . | quote }}}
    {{- else }}
    emptyDir: {sizeLimit: {{ .Values.persistence.size | quote }}}
    {{- end }}
  - name: settings
    configMap: {name: {{ include "schema-publisher.name" . | quote }}}
  {{- if .Values.ddl }}
  - name: ddl
    configMap: {name: {{ printf "%s-ddl" (include "schema-publisher.name" .) | quote }}}
  {{- end }}
  - name: temporary
    emptyDir: {sizeLimit: 1Gi}
  {{- with .Values.secrets.existingSecret }}
  - name: secrets
    # Only the pod's group may read it; no other process has this group.
    secret: {secretName: {{ . | quote }}, defaultMode: 0440}
  {{- end }}
{{- end }}

{{- define "schema-publisher.container" -}}
image: {{ include "schema-publisher.image" . | quote }}
imagePullPolicy: {{ .Values.image.pullPolicy }}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities: {drop: [ALL]}
resources: {{- toYaml .Values.resources | nindent 2 }}
env:
  {{- if .Values.postgresql.existingSecret }}
  - name: SCHEMA_PUBLISHER__STATE__URL
    valueFrom: {secretKeyRef: {name: {{ .Values.postgresql.existingSecret | quote }}, key: {{ .Values.postgresql.urlKey | quote }}}}
  {{- else }}
  - {name: SCHEMA_PUBLISHER__STATE__URL, value: "sqlite:////var/lib/schema-publisher/state.db"}
  {{- end }}
  - {name: SCHEMA_PUBLISHER__HTTP__HOST, value: "0.0.0.0"}
  - {name: SCHEMA_PUBLISHER__HTTP__PORT, value: {{ .Values.service.port | quote }}}
  - {name: SCHEMA_PUBLISHER__HTTP__OPERATIONS_PORT, value: {{ .Values.service.operationsPort | quote }}}
  {{- with .Values.secrets.operationsTokenKey }}
  - {name: SCHEMA_PUBLISHER__HTTP__OPERATIONS_TOKEN_FILE, value: {{ printf "/run/secrets/schema-publisher/%s" . | quote }}}
  {{- end }}
  {{- with .Values.extraEnv }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
volumeMounts:
  - {name: state, mountPath: /var/lib/schema-publisher}
  - {name: settings, mountPath: /etc/schema-publisher, readOnly: true}
  {{- if .Values.ddl }}
  - {name: ddl, mountPath: /etc/schema-publisher-ddl, readOnly: true}
  {{- end }}
  - {name: temporary, mountPath: /tmp}
  {{- if .Values.secrets.existingSecret }}
  - {name: secrets, mountPath: /run/secrets/schema-publisher, readOnly: true}
  {{- end }}
{{- end }}
