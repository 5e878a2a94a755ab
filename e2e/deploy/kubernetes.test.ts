import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { root } from './dockerfile.ts';

interface Resource {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly spec: Record<string, unknown>;
}

interface Container {
  readonly env: readonly { readonly name: string; readonly value: string }[];
  readonly ports: readonly { readonly name: string; readonly containerPort: number }[];
  readonly [key: string]: unknown;
}

const text = readFileSync(join(root, 'deploy/kubernetes.yaml'), 'utf8');
const documents = parseAllDocuments(text, { strict: true, uniqueKeys: true });
const resources = documents.map((document) => document.toJS() as Resource);
const [deployment, service, budget] = resources;
const template = deployment?.spec['template'] as {
  spec: { containers: Container[]; terminationGracePeriodSeconds: number };
};
const [container] = template.spec.containers;
const settings = readFileSync(join(root, 'docs/facilitator/settings.md'), 'utf8');

it('is YAML of three resources of one name, which select the same pods', () => {
  expect(documents.flatMap(({ errors, warnings }) => [...errors, ...warnings])).toEqual([]);
  expect(resources.map(({ kind, apiVersion }) => [kind, apiVersion])).toEqual([
    ['Deployment', 'apps/v1'],
    ['Service', 'v1'],
    ['PodDisruptionBudget', 'policy/v1'],
  ]);
  const labels = { app: 'avm402-facilitator' };
  expect(new Set(resources.map(({ metadata }) => metadata.name))).toEqual(new Set(['avm402-facilitator']));
  expect(deployment?.spec).toMatchObject({ selector: { matchLabels: labels }, template: { metadata: { labels } } });
  expect(service?.spec['selector']).toEqual(labels);
  expect(budget?.spec).toMatchObject({ minAvailable: 1, selector: { matchLabels: labels } });
});

it('asks the program whether it lives and whether it can settle, at its port, and gives it time to end', () => {
  expect(container).toMatchObject({
    livenessProbe: { httpGet: { path: '/health', port: 'http' } },
    readinessProbe: { httpGet: { path: '/ready', port: 'http' } },
    ports: [{ name: 'http', containerPort: 4022 }],
  });
  expect(service?.spec['ports']).toEqual([{ name: 'http', port: 4022, targetPort: 'http' }]);
  // DRAIN_TIMEOUT_MS is ten seconds.
  expect(template.spec.terminationGracePeriodSeconds).toBeGreaterThan(11);
});

it('sets variables that there are, takes secrets from the Secret alone, and may write nothing', () => {
  const secret = [...text.matchAll(/--from-literal=(\w+)=/g)].map(([, name = '']) => name);
  expect(secret).toEqual(['SPONSOR_PRIVATE_KEY', 'DATABASE_URL', 'ALGOD_TOKEN']);
  const set = container?.env.map(({ name }) => name) ?? [];
  for (const name of [...secret, ...set]) expect(settings).toContain(`| \`${name}\``);
  expect(set.filter((name) => /KEY|MNEMONIC|TOKEN|DATABASE/.test(name))).toEqual([]);
  expect(container).toMatchObject({
    envFrom: [{ secretRef: { name: 'avm402-facilitator' } }],
    securityContext: {
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    },
  });
});
