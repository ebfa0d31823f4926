import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { readConfig } from '../../src/config.ts';
import { createResend } from '../../src/providers/resend.ts';
import { createSmtp } from '../../src/providers/smtp.ts';
import { systemClock } from '../../src/std/clock.ts';
import { root } from './dockerfile.ts';
import {
  exampleOfComposeEnv,
  filled,
  interpolated,
  type Manifest,
  manifestOf,
  manifests,
  secretNames,
  services,
  settingNames,
} from './manifests.ts';

const { version } = JSON.parse(readFileSync(`${root}package.json`, 'utf8')) as { version: string };
const runbook = readFileSync(`${root}docs/deployment.md`, 'utf8');
const isSetting = (name: string) => settingNames.includes(name);
/** What the image sets. */
const image = { NODE_ENV: 'production', HOST: '0.0.0.0', PORT: '3000' };
const noFile = `${root}deploy/none.env`;
const roles = ['api', 'worker'] as const;

/** What is in flight at a stop gets its answer: the longest call, and what stands around it. */
const longestStopSeconds =
  (3_000 +
    Math.max(
      createSmtp({ url: 'smtp://127.0.0.1:1', clock: systemClock }).guarantees.longestCallMs,
      createResend({ apiKey: 're_0123456789', clock: systemClock }).guarantees.longestCallMs,
    )) /
  1_000;

const policy = ['--maxmemory-policy', 'noeviction'];

describe('compose.yaml', () => {
  const { api, worker, redis, postgres } = services;

  test('has the program at least twice, PostgreSQL and Redis', () => {
    expect(Object.keys(services).sort()).toEqual(['api', 'postgres', 'redis', 'worker']);
    expect(worker?.deploy?.replicas).toBeGreaterThanOrEqual(2);
    expect([api?.image, worker?.image]).toEqual([`tidings:${version}`, `tidings:${version}`]);
  });

  test.each(roles)('%s: its settings are taken, with the built-in inbox and for real mail', (role) => {
    for (const isWhole of [false, true]) {
      const file = exampleOfComposeEnv({ isWhole });
      const own = Object.entries(services[role]?.environment ?? {});
      const given = own.map(([name, text]) => [name, interpolated(text, file)] as const);
      const config = readConfig({ ...image, ...file, ...Object.fromEntries(given) }, noFile);
      expect(config).toMatchObject({
        role,
        provider: isWhole ? 'resend' : 'capture',
        environment: 'production',
      });
      expect(config.databaseUrl).toBe(
        `postgres://tidings:${filled('POSTGRES_PASSWORD')}@postgres:5432/tidings`,
      );
      const others = [...Object.keys(file), ...own.map(([name]) => name)].filter((name) => !isSetting(name));
      expect(others).toEqual(['POSTGRES_PASSWORD']);
    }
  });

  test.each(roles)('%s: is asked whether it is ready, and may write nothing', (role) => {
    const { healthcheck, read_only, cap_drop, stop_grace_period, env_file } = services[role] ?? {};
    expect(healthcheck?.test.slice(0, 3)).toEqual(['CMD', 'node', '-e']);
    expect(healthcheck?.test[3]).toContain('http://127.0.0.1:3000/ready');
    expect({ read_only, cap_drop, env_file }).toEqual({
      read_only: true,
      cap_drop: ['ALL'],
      env_file: 'compose.env',
    });
    expect(stop_grace_period).toBe('2m');
    expect(longestStopSeconds).toBeLessThan(120);
  });

  test('002-C-01 Redis is configured with maxmemory-policy=noeviction', () => {
    expect(redis?.command?.join(' ')).toContain(policy.join(' '));
  });

  test('only this machine reaches it, and no secret stands in it', () => {
    expect(Object.values(services).flatMap(({ ports }) => ports ?? [])).toEqual(['127.0.0.1:3000:3000']);
    expect(redis?.command?.at(-1)).toMatch(/^\$\{REDIS_PASSWORD:\?/);
    expect(postgres?.environment.POSTGRES_PASSWORD).toMatch(/^\$\{POSTGRES_PASSWORD:\?/);
  });
});

describe('deploy/kubernetes', () => {
  const settings = manifestOf('ConfigMap', 'tidings').data;
  /** The names that the runbook puts into the Secret. */
  const [, block = ''] = /^```\n(cat > tidings\.env[\s\S]*?)^```/m.exec(runbook) ?? [];
  const secrets = [...block.matchAll(/^([A-Z_]+)=/gm)].map(([, name = '']) => name);

  test('every setting exists; what is secret is in the Secret, and nothing else is', () => {
    expect([...Object.keys(settings), ...secrets].filter((name) => !isSetting(name))).toEqual([]);
    // An address without a password in it is none: that is in the Secret, by itself.
    const isBare = (name: string) => name === 'REDIS_URL' && !String(settings[name]).includes('@');
    expect(Object.keys(settings).filter((name) => secretNames.includes(name) && !isBare(name))).toEqual([]);
    expect(secrets).toEqual(expect.arrayContaining(['DATABASE_URL', 'RESEND_API_KEY', 'REDIS_PASSWORD']));
    expect(secrets.filter((name) => !secretNames.includes(name))).toEqual([]);
  });

  test.each(roles)('%s: its settings are taken', (role) => {
    const [container] = podOf(role).containers;
    const own = Object.fromEntries(container?.env.map(({ name, value = '' }) => [name, value]) ?? []);
    const given = Object.fromEntries(secrets.map((name) => [name, filled(name)]));
    const secret = { ...given, DATABASE_URL: 'postgres://tidings:secret@postgres.example.org:5432/tidings' };
    expect(readConfig({ ...image, ...settings, ...secret, ...own }, noFile)).toMatchObject({ role });
  });

  test.each(roles)('%s: two at least, and new ones are ready before an old one is ended', (role) => {
    const { spec } = manifestOf('Deployment', `tidings-${role}`);
    expect(spec.replicas).toBeGreaterThanOrEqual(2);
    expect(spec.strategy).toEqual({
      type: 'RollingUpdate',
      rollingUpdate: { maxSurge: '100%', maxUnavailable: 0 },
    });
    expect(spec.template.metadata.labels).toEqual(spec.selector.matchLabels);
  });

  test.each(roles)('%s: migrates before it serves, both by the image of this version', (role) => {
    const { initContainers, containers } = podOf(role);
    expect([...initContainers, ...containers].map(({ args, image }) => [args, image])).toEqual([
      [['migrate'], `tidings:${version}`],
      [['serve'], `tidings:${version}`],
    ]);
    const references = [{ configMapRef: { name: 'tidings' } }, { secretRef: { name: 'tidings' } }];
    for (const { envFrom } of [...initContainers, ...containers]) expect(envFrom).toEqual(references);
  });

  test.each(roles)('%s: restarted when it is not alive, given nothing while it is not ready', (role) => {
    const [container] = podOf(role).containers;
    const asked = (path: string) => ({ httpGet: { path, port: 'http' } });
    expect(container).toMatchObject({
      ports: [{ name: 'http', containerPort: 3_000 }],
      startupProbe: asked('/health'),
      livenessProbe: asked('/health'),
      readinessProbe: asked('/ready'),
    });
    // It answers within two seconds, whatever the database does.
    expect(container?.readinessProbe.timeoutSeconds).toBeGreaterThan(2);
    const { periodSeconds = 0, failureThreshold = 0 } = container?.readinessProbe ?? {};
    expect(periodSeconds * failureThreshold).toBeGreaterThanOrEqual(30);
  });

  test.each(roles)('%s: has the time to finish what is in flight', (role) => {
    const { terminationGracePeriodSeconds, containers } = podOf(role);
    const [, seconds = '0'] = containers[0]?.lifecycle?.preStop.exec.command ?? [];
    expect(terminationGracePeriodSeconds).toBeGreaterThan(longestStopSeconds + Number(seconds));
  });

  test('whoever balances the load hears of an end before it comes', () => {
    expect(podOf('api').containers[0]?.lifecycle?.preStop.exec.command).toEqual(['sleep', '5']);
  });

  test.each([...roles, 'redis'])('%s: nobody is root, may become it, or may write', (role) => {
    const { securityContext, containers, initContainers = [] } = podOf(role);
    expect(securityContext).toMatchObject({ runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } });
    for (const each of [...containers, ...initContainers]) {
      expect(each.securityContext).toEqual({
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      });
      expect(each.resources).toEqual({
        requests: { cpu: expect.stringMatching(/^\d+m$/), memory: expect.stringMatching(/^\d+Mi$/) },
        limits: { memory: expect.stringMatching(/^\d+Mi$/) },
      });
    }
  });

  test('002-C-01 Redis is configured with maxmemory-policy=noeviction', () => {
    const [redis] = podOf('redis').containers;
    expect(redis?.args.slice(0, 2)).toEqual(policy);
    expect(redis?.args.at(-1)).toBe('$(REDIS_PASSWORD)');
    expect(redis?.env).toEqual([
      { name: 'REDIS_PASSWORD', valueFrom: { secretKeyRef: { name: 'tidings', key: 'REDIS_PASSWORD' } } },
    ]);
  });

  test('what is asked for by a name leads to pods that are there', () => {
    const served = manifests.filter(({ kind }) => kind === 'Service');
    expect(served.map(({ metadata }) => metadata.name).sort()).toEqual(['tidings-api', 'tidings-redis']);
    for (const { metadata, spec } of served) {
      expect(manifestOf('Deployment', metadata.name).spec.selector.matchLabels).toEqual(spec.selector);
    }
    expect(settings.REDIS_URL).toBe('redis://tidings-redis:6379');
    const budget = manifestOf('PodDisruptionBudget', 'tidings-api').spec.selector.matchLabels;
    expect(budget).toEqual(manifestOf('Deployment', 'tidings-api').spec.selector.matchLabels);
  });
});

test('002-P2-12 the ops runbook documents noeviction with the arguments for Kubernetes', () => {
  expect(runbook).toMatch(/args:\n\s+- "?--maxmemory-policy"?\n\s+- "?noeviction"?\n/);
  expect(runbook).toContain('CONFIG SET maxmemory-policy noeviction');
});

test('the sample for Prometheus finds the api pods, each by the port that it answers at', () => {
  const [, block = ''] = /^```yaml\n(scrape_configs:[\s\S]*?)^```/m.exec(runbook) ?? [];
  const [job] = (parse(block) as { scrape_configs: ScrapeConfig[] }).scrape_configs;
  const [kept] = job?.relabel_configs ?? [];
  const { labels } = manifestOf('Deployment', 'tidings-api').spec.template.metadata;
  const ports = podOf('api').containers.flatMap((each) => each.ports.map(({ name }) => name));
  const seen: Record<string, string | undefined> = {
    __meta_kubernetes_pod_label_app: labels.app,
    __meta_kubernetes_pod_label_role: labels.role,
    __meta_kubernetes_pod_container_port_name: ports[0],
  };
  expect(ports).toHaveLength(1);
  expect(kept).toMatchObject({
    action: 'keep',
    regex: kept?.source_labels.map((label) => seen[label]).join(';'),
  });
});

interface ScrapeConfig {
  relabel_configs: { source_labels: string[]; regex?: string; action?: string }[];
}

function podOf(role: string): Manifest['spec']['template']['spec'] {
  return manifestOf('Deployment', `tidings-${role}`).spec.template.spec;
}
