import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../../', import.meta.url));
const page = (path: string): string => readFileSync(join(root, path), 'utf8');
const linksIn = (text: string): string[] =>
  [...text.matchAll(/\]\((?!https?:)([^)]+)\)/g)].map(([, link = '']) => link);
const programsIn = (text: string): string[] => [...text.matchAll(/^```ts\n(.*?)^```$/gms)].map(([, code = '']) => code);

describe('what a coding agent reads', () => {
  it('docs/SKILL.md links nowhere, and its programs are those of docs/start.md, which are run', () => {
    const skill = page('docs/SKILL.md');
    expect(linksIn(skill)).toEqual([]);
    expect(programsIn(skill)).toHaveLength(3);
    const run = programsIn(page('docs/start.md'));
    expect(programsIn(skill).filter((code) => !run.includes(code))).toEqual([]);
  });

  it('llms.txt lists pages that exist, the guides among them', () => {
    const links = linksIn(page('llms.txt'));
    expect(links.filter((link) => !existsSync(join(root, link)))).toEqual([]);
    expect(links).toEqual(
      expect.arrayContaining(['docs/SKILL.md', 'docs/server.md', 'docs/client.md', 'docs/mandates.md']),
    );
  });

  it('a packed package has the same with every guide, as the repository does, and no link that leads nowhere', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'avm402-llms-'));
    execFileSync(process.execPath, [join(root, 'tools/write-llms.mjs')], { cwd: folder });
    const [short, full] = ['llms.txt', 'llms-full.txt'].map((file) => readFileSync(join(folder, file), 'utf8'));
    rmSync(folder, { recursive: true });
    expect(linksIn(`${short}${full}`)).toEqual([]);
    for (const title of ['# avm402 for coding agents', '# Start', '# Give an agent a budget on chain']) {
      expect(full).toContain(title);
    }
    await expect(full).toMatchFileSnapshot(join(root, 'llms-full.txt'));
  });
});
