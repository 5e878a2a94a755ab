import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { asking } from '../../client/test/seller.ts';
import { useStage } from '../../client/test/stage.ts';
import { payOn } from './pay-on.ts';

const stage = useStage();
const pay = payOn(stage);

describe('where avm402 pay puts the body', () => {
  it('reads a body from a file and writes the answer to one', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'avm402-pay-'));
    await writeFile(join(folder, 'in'), 'text of the file');
    const seller = await stage.sellerThat(stage.honest);
    const { code, stdout } = await pay([seller.url, '-d', `@${join(folder, 'in')}`, '-o', join(folder, 'out')]);
    expect(code).toBe(0);
    expect(seller.seen[1]?.body).toBe('text of the file');
    expect(await readFile(join(folder, 'out'), 'utf8')).toBe('{"report":"sunny"}');
    expect(stdout).not.toContain('sunny');
    await rm(folder, { recursive: true });
  });

  it('shows nobody what is no text, and hands it to a file or program', async () => {
    const seller = await stage.sellerThat(async (seen, all) => {
      const answer = await stage.honest(seen, all);
      return seen.payment ? { ...answer, headers: { ...answer.headers, 'Content-Type': 'image/png' } } : answer;
    });
    expect((await pay([seller.url], { showsStdout: true })).stdout).toContain(
      '(18 bytes of image/png; --output FILE keeps them)',
    );
    expect((await pay([seller.url])).stdout).toBe('{"report":"sunny"}');
    expect(JSON.parse((await pay([seller.url, '--json'])).stdout)).toMatchObject({
      body: { base64: expect.any(String) },
    });
  });

  it('what was paid for is shown where its file can no longer be written', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'avm402-pay-'));
    const seller = await stage.sellerThat(async (seen, all) => {
      if (seen.payment) await rm(folder, { recursive: true });
      return stage.honest(seen, all);
    });
    expect(await pay([seller.url, '-o', join(folder, 'out')])).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('{"report":"sunny"}'),
      stderr: expect.stringMatching(/^warning: can't write .+out: .+\n/m),
    });
  });

  it('an error that cost nothing is shown, and makes or changes no file', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'avm402-pay-'));
    await writeFile(join(folder, 'old'), 'kept');
    const refusing = await stage.sellerThat(() => ({ status: 404, body: 'no such thing' }));
    const dear = await stage.sellerThat(() => asking([{ amount: '5000000' }]));
    for (const name of ['new', 'old']) {
      expect((await pay([refusing.url, '-o', join(folder, name)])).stdout).toContain('no such thing');
      expect(await pay([dear.url, '-o', join(folder, name)])).toMatchObject({ code: 3 });
    }
    expect(await readdir(folder)).toEqual(['old']);
    expect(await readFile(join(folder, 'old'), 'utf8')).toBe('kept');
    const free = await stage.sellerThat(() => ({}));
    await pay([free.url, '-o', join(folder, 'new')]);
    expect(await readFile(join(folder, 'new'), 'utf8')).toBe('{"report":"sunny"}');
    await rm(folder, { recursive: true });
  });

  it('a file that can’t be written is refused before anything is paid', async () => {
    const seller = await stage.sellerThat(stage.honest);
    const { code, stderr } = await pay([seller.url, '-o', '/nowhere/at/all']);
    expect({ code, stderr }).toMatchObject({ code: 2, stderr: expect.stringContaining("can't write /nowhere/at/all") });
    expect(seller.seen).toEqual([]);
  });
});

it('avm402 pay gives up after any fraction of a second', async () => {
  const seller = await stage.sellerThat(stage.honest);
  // As a floating-point number, this times 1000 is not whole.
  expect(await pay([seller.url, '--timeout', '16.1'])).toMatchObject({ code: 0 });
});
