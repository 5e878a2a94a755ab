import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { root } from './dockerfile.ts';

const read = (path: string): string => readFileSync(join(root, path), 'utf8');
const yaml = (path: string): unknown => parse(read(path), { strict: true, uniqueKeys: true });
const page = read('docs/facilitator/operating.md');

/** The labels of each metric that can be asked for, as the page has them; a test compares the page with the program. */
const known = new Map<string, string>([['up', 'job']]);
for (const [, metric = '', type, labels = ''] of page.matchAll(/^\| `(avm402_\w+)` +\| (\w+) +\| ([^|]*)\|/gm)) {
  known.set(type === 'histogram' ? `${metric}_bucket` : metric, labels);
}

/** Metrics in a query that don't exist, and labels that they don't have. */
function unknownIn(query: string): string[] {
  const asked = [...query.matchAll(/\b(avm402_\w+|up)\b(?:\{(\w+)=)?/g)];
  if (asked.length === 0) return [`no metric in ${query}`];
  // With several metrics, a grouping belongs to one of them.
  const groupings = asked.length > 1 ? [] : [...query.matchAll(/\bby \(([^)]*)\)/g)];
  const grouped = groupings.flatMap(([, names = '']) => names.split(', '));
  return asked.flatMap(([, metric = '', label = '']) => {
    const labels = known.get(metric);
    if (labels === undefined) return [metric];
    const wanted = [label, ...grouped].filter((name) => name !== '' && name !== 'le');
    return wanted.filter((name) => !labels.includes(name)).map((name) => `${metric}{${name}}`);
  });
}

it('each alert asks for metrics and labels that there are, and docs/facilitator/operating.md explains it', () => {
  interface Rules {
    readonly groups: readonly { readonly rules: readonly { readonly alert: string; readonly expr: string }[] }[];
  }
  const rules = (yaml('deploy/alerts.yaml') as Rules).groups.flatMap((group) => group.rules);
  expect(rules.length).toBeGreaterThan(5);
  for (const { alert, expr } of rules) {
    expect([alert, unknownIn(expr)]).toEqual([alert, []]);
    expect(page).toContain(`| \`${alert}\``);
  }
});

describe('the board for Grafana', () => {
  interface Panel {
    readonly id: number;
    readonly title: string;
    readonly targets: readonly { readonly expr: string; readonly legendFormat: string }[];
  }
  const { panels } = JSON.parse(read('deploy/grafana.json')) as { readonly panels: readonly Panel[] };

  it('asks for metrics and labels that there are, and names no label that its query drops', () => {
    for (const { title, targets } of panels) {
      for (const { expr, legendFormat } of targets) {
        expect([title, unknownIn(expr)]).toEqual([title, []]);
        const shown = [...legendFormat.matchAll(/\{\{(\w+)\}\}/g)].map(([, name = '']) => name);
        const kept = /\bby \(([^)]*)\)/.exec(expr)?.[1]?.split(', ') ?? [];
        expect([title, shown.filter((name) => !kept.includes(name))]).toEqual([title, []]);
      }
    }
    expect(unknownIn('rate(avm402_no_such_total[5m])')).toEqual(['avm402_no_such_total']);
    expect(unknownIn('sum by (payer) (avm402_nodes)')).toEqual(['avm402_nodes{payer}']);
  });

  it('shows every metric but those of which it shows a better one', () => {
    const shown = panels.flatMap(({ targets }) => targets.map(({ expr }) => expr)).join(' ');
    const left = [...known.keys()].filter((metric) => !shown.includes(metric));
    expect(left).toEqual(['up', 'avm402_round', 'avm402_sponsor_microalgos', 'avm402_sponsor_offered']);
    expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
  });
});

it('Prometheus scrapes the job that the alerts ask for, with a bearer from a file', () => {
  interface Scrapes {
    readonly scrape_configs: readonly Record<string, unknown>[];
    readonly rule_files: readonly string[];
  }
  const { scrape_configs: jobs, rule_files: rules } = yaml('deploy/prometheus.yaml') as Scrapes;
  expect(rules).toEqual(['alerts.yaml']);
  expect(jobs).toMatchObject([
    {
      job_name: 'avm402-facilitator',
      metrics_path: '/metrics',
      authorization: { type: 'Bearer', credentials_file: expect.stringMatching(/^\//) },
      static_configs: [{ targets: ['127.0.0.1:4022'] }],
    },
  ]);
});
