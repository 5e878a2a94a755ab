import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';

const root = new URL('../', import.meta.url);

/** Uses every subpath without Node's globals; console is the only thing left to speak with. */
const PROGRAM = `
  for (const name of ['process', 'Buffer', 'global', 'require']) delete globalThis[name];
  const { decodePaymentSignatureHeader, encodePaymentSignatureHeader } = await import('@avm402/core/headers');
  const { ALGORAND_TESTNET, canonicalNetwork } = await import('@avm402/core/network');
  const { parsePrice } = await import('@avm402/core/price');
  const { isX402Error } = await import('@avm402/core/errors');
  const { createPaymentId, withPaymentId, paymentIdOf } = await import('@avm402/core/payment-identifier');
  const { declareDiscovery } = await import('@avm402/core/discovery');
  const id = createPaymentId((length) => crypto.getRandomValues(new Uint8Array(length)));
  const payment = {
    x402Version: 2,
    accepted: {
      scheme: 'exact', network: canonicalNetwork(ALGORAND_TESTNET), asset: '1',
      amount: parsePrice('$0.01', 6).toString(), payTo: 'P', maxTimeoutSeconds: 300, extra: {},
    },
    payload: { text: 'Zürich' },
    extensions: withPaymentId(declareDiscovery(), id),
  };
  const read = decodePaymentSignatureHeader(encodePaymentSignatureHeader(payment));
  console.log(typeof process, read.payload.text, read.accepted.amount, paymentIdOf(read) === id);
  try { decodePaymentSignatureHeader('no'); } catch (error) { console.log(isX402Error(error), error.code); }
`;

describe('in a browser the package', () => {
  it('works: nothing of Node is needed', async () => {
    const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', PROGRAM], {
      cwd: fileURLToPath(root),
    });
    expect(stdout).toBe('undefined Zürich 10000 true\ntrue invalid_payment_header\n');
  });

  it('imports zod and itself alone, and of OpenTelemetry its types', () => {
    const source = new URL('src/', root);
    const files = readdirSync(source, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));
    const imported = files.flatMap((file) =>
      [
        ...readFileSync(new URL(file, source), 'utf8').matchAll(
          /^(?!import type .*'@opentelemetry| \* ).*(?:from|import\()\s*'([^']+)'/gm,
        ),
      ].map(([, name]) => name),
    );
    expect(imported.length).toBeGreaterThan(files.length);
    expect(imported.filter((name) => !(name?.startsWith('.') ?? false) && !name?.startsWith('zod/'))).toEqual([]);
  });
});
