// Recorded conversations with a real kmd: see test/vectors/README.md.
import { Agent } from 'node:http';
import { readConfig } from '../../src/config.ts';
import { DEFAULT_KMD_CONFIG } from '../../src/kmd/kmd-config.ts';
import { startKmd } from '../../src/kmd/start-kmd.ts';
import { exchange, type Answer } from '../replay/exchange.ts';
import { mismatches } from '../replay/mismatch.ts';
import { readVector, type RecordedResponse } from '../replay/recording.ts';

interface KmdScenario {
  readonly start: 'empty' | 'localnet';
  readonly config: Readonly<Record<string, unknown>>;
  readonly wallet?: { readonly keys: readonly { readonly privateKey: string }[] };
  readonly exchanges: readonly KmdExchange[];
}

interface KmdExchange {
  readonly n: number;
  readonly note: string;
  /** Time that passes before the request is sent. */
  readonly waitMs?: number;
  readonly request: {
    readonly method: string;
    readonly path: string;
    readonly headers: Readonly<Record<string, string>>;
    readonly body?: string;
  };
  readonly response: RecordedResponse;
  /** Names and the members of the answer that they stand for from then on. */
  readonly bind?: Readonly<Record<string, string>>;
}

const TOKEN = 'a'.repeat(64);

export function readKmdScenario(name: string): KmdScenario {
  const [head = '{}', ...lines] = readVector(`kmd/${name}.jsonl`).trimEnd().split('\n');
  const scenario = JSON.parse(head) as Omit<KmdScenario, 'exchanges'>;
  return { ...scenario, exchanges: lines.map((line) => JSON.parse(line) as KmdExchange) };
}

/** Sends every request of a scenario to a fresh KMD; what differs in the answers, by request. */
export async function replayKmd(scenario: KmdScenario): Promise<{ compared: number; mismatched: string[] }> {
  const { config, wallet, exchanges } = scenario;
  let now = 0;
  const kmd = await startKmd({
    host: '127.0.0.1',
    port: 0,
    token: TOKEN,
    ...(wallet && { defaultWallet: wallet.keys.map(({ privateKey }) => Buffer.from(privateKey, 'base64')) }),
    config: readConfig(DEFAULT_KMD_CONFIG, config, 'KMD’s configuration key').config,
    now: () => now,
    onInternalError: (error) => console.error(error),
  });
  const agent = new Agent({ keepAlive: true });
  const bound = new Map<string, string>();
  const mismatched: string[] = [];
  try {
    if (wallet) bound.set('walletDefault', await defaultWallet(kmd.url));
    for (const recorded of exchanges) {
      now += recorded.waitMs ?? 0;
      mismatched.push(...(await replayOne(recorded, bound, (request) => exchange(kmd.url, agent, request))));
    }
  } finally {
    agent.destroy();
    await kmd.close();
  }
  return { compared: exchanges.length, mismatched };
}

type Send = (request: Parameters<typeof exchange>[2]) => Promise<Answer>;

async function replayOne(recorded: KmdExchange, bound: Map<string, string>, send: Send): Promise<string[]> {
  const { n, note, request, bind = {} } = recorded;
  const { body, ...rest } = request;
  const bodyBase64 = body === undefined ? undefined : Buffer.from(fill(body, bound)).toString('base64');
  const answer = await send({ ...rest, ...(bodyBase64 !== undefined && { bodyBase64 }) });
  for (const [name, path] of Object.entries(bind)) bound.set(name, memberAt(answer, path));
  return differences(recorded, bound, answer).map(
    (text) => `#${n} ${request.method} ${request.path} (${note})\n${text}`,
  );
}

const CORS = /^access-control-/;

function differences({ n, note, response }: KmdExchange, bound: Map<string, string>, answer: Answer): string[] {
  const body = response.body === undefined ? undefined : withoutTime(fill(response.body, bound));
  const expected = { ...response, ...(body !== undefined && { body }) };
  const request = { method: '', path: '', headers: {} };
  const found = { ...answer, body: Buffer.from(withoutTime(answer.body.toString('utf8'))) };
  const extra = Object.keys(answer.headers).filter((name) => CORS.test(name) && !(name in response.headers));
  return [
    ...mismatches({ n, note, request, response: expected }, found),
    ...extra.map((name) => `header ${name} is not recorded`),
  ];
}

/** The one normalisation of these recordings: a whole second may just have passed. */
function withoutTime(text: string): string {
  return text.replaceAll(/"expires_seconds": \d+/g, '"expires_seconds": 0');
}

function fill(text: string, bound: ReadonlyMap<string, string>): string {
  return text.replaceAll(/\{\{(\w+)\}\}/g, (_, name: string) => bound.get(name) ?? `unbound ${name}`);
}

/** The text at a dotted path of a JSON answer, or its first 16 characters. */
function memberAt(answer: Answer, path: string): string {
  const names = path.replace('[0:16]', '').split('.');
  let value: unknown = JSON.parse(answer.body.toString('utf8'));
  for (const name of names) value = (value as Record<string, unknown>)[name];
  return path.endsWith('[0:16]') ? String(value).slice(0, 16) : String(value);
}

async function defaultWallet(url: string): Promise<string> {
  const response = await fetch(`${url}/v1/wallets`, { headers: { 'X-KMD-API-Token': TOKEN } });
  const { wallets } = (await response.json()) as { wallets: { id: string }[] };
  return wallets[0]?.id ?? '';
}
