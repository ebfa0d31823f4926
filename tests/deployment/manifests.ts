import { readdirSync, readFileSync } from 'node:fs';
import { parseEnv } from 'node:util';
import { parse, parseAllDocuments } from 'yaml';
import { variables } from '../../src/settings.ts';
import { root } from './dockerfile.ts';

/** compose.yaml and the manifests of Kubernetes, as far as they are looked at. */
export interface Service {
  image: string;
  environment: Record<string, string>;
  env_file?: string;
  command?: string[];
  stop_grace_period?: string;
  read_only?: boolean;
  cap_drop?: string[];
  ports?: string[];
  deploy?: { replicas: number };
  healthcheck: { test: string[] };
}

export const services = (
  parse(readFileSync(`${root}compose.yaml`, 'utf8'), { merge: true }) as { services: Record<string, Service> }
).services;

interface Probe {
  httpGet?: { path: string; port: string };
  periodSeconds: number;
  timeoutSeconds?: number;
  failureThreshold: number;
}

export interface Container {
  name: string;
  image: string;
  args: string[];
  env: { name: string; value?: string; valueFrom?: object }[];
  envFrom?: { configMapRef?: { name: string }; secretRef?: { name: string } }[];
  ports: { name: string; containerPort: number }[];
  startupProbe: Probe;
  livenessProbe: Probe;
  readinessProbe: Probe;
  lifecycle?: { preStop: { exec: { command: string[] } } };
  securityContext: object;
  resources: { requests: { cpu: string; memory: string }; limits: { memory: string } };
}

export interface Manifest {
  kind: string;
  metadata: { name: string; labels: Record<string, string> };
  data: Record<string, string>;
  spec: {
    replicas: number;
    selector: { matchLabels: Record<string, string> } & Record<string, string>;
    strategy: object;
    template: {
      metadata: { labels: Record<string, string> };
      spec: {
        terminationGracePeriodSeconds: number;
        securityContext: object;
        initContainers: Container[];
        containers: Container[];
      };
    };
  };
}

const folder = `${root}deploy/kubernetes/`;

export const manifests = readdirSync(folder).flatMap((file) =>
  parseAllDocuments(readFileSync(folder + file, 'utf8')).map((document) => document.toJS() as Manifest),
);

export function manifestOf(kind: string, name: string): Manifest {
  const found = manifests.find((each) => each.kind === kind && each.metadata.name === name);
  if (!found) throw new Error(`deploy/kubernetes has no ${kind} ${name}`);
  return found;
}

/** `isWhole` with what is offered behind a #, too. What is to be filled in, is. */
export function exampleOfComposeEnv({ isWhole }: { isWhole: boolean }): Record<string, string> {
  const text = readFileSync(`${root}deploy/compose.env.example`, 'utf8');
  const lines = isWhole ? text.replace(/^# (?=[A-Z_]+=)/gm, '') : text;
  return Object.fromEntries(
    Object.entries(parseEnv(lines)).map(([name, value]) => [name, value || filled(name)]),
  );
}

/** A key or a password of which each has its own. */
export function filled(name: string): string {
  return name === 'RESEND_WEBHOOK_SECRET'
    ? `whsec_${Buffer.from('a secret of 24 octets ..').toString('base64')}`
    : name.toLowerCase().padEnd(40, 'x');
}

/** As compose puts them in. */
export function interpolated(text: string, values: Record<string, string>): string {
  return text.replace(/\$\{([A-Z_]+)(?::\?[^}]*)?\}/g, (_, name: string) => values[name] ?? '');
}

const settings: readonly { name: string; isSecret?: true }[] = Object.values(variables);
export const settingNames: readonly string[] = settings.map(({ name }) => name);
/** A URL is one where it holds a password, as that of the database does, and that of Redis does not here. */
export const secretNames: readonly string[] = [
  'DATABASE_URL',
  ...settings.filter(({ name, isSecret }) => isSecret && name !== 'REDIS_URL').map(({ name }) => name),
];
