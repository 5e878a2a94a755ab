import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseAccount } from '@avm402/algorand/account';
import { createPayer, createPayingFetch, settlementOf } from '@avm402/client';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { SimpleSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace';
import { startStack, type Stack } from '@avm402/stack';
import { NODE_TOKEN, startConsole } from '@avm402/stack/programs';
import { launchChromium } from '@avm402/testkit/chromium';
import type { AxeResults } from 'axe-core';
import express from 'express';
import type { Page } from 'playwright-core';
import { type Served, served } from '../served.ts';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** How long a close may take. */
const CLOSE_MS = 5_000;

/** Three roles that tell a console of their payments, and a browser that shows it. */
export interface Stage extends AsyncDisposable {
  readonly stack: Stack;
  /** The origin of the console. */
  readonly url: string;
  readonly page: Page;
  /** Errors of the page's script, and whom else it asked. */
  readonly complaints: readonly string[];
  /** Shows the view that a link leads to. */
  readonly open: (link: string) => Promise<void>;
  /** Pays the weather as a program of its own would; gives the TxID. */
  readonly payWeather: () => Promise<string>;
  /** Buys forecasts through one channel, telling the console of it, and closes it. */
  readonly payThroughChannel: (requests: number) => Promise<void>;
  /** Saves the file that the shown payment's link leads to; gives its path. */
  readonly exportPayment: () => Promise<string>;
  /** Serious faults of the shown view for people who can't see, or can't point. */
  readonly seriousIssues: () => Promise<string[]>;
}

export async function startStage(): Promise<Stage> {
  await using started = new AsyncDisposableStack();
  const relay = await startRelay();
  started.defer(() => relay.stop());
  const telling = { OTEL_EXPORTER_OTLP_ENDPOINT: relay.url, TRACE_DETAILS: 'true' };
  const facilitatorEnvironment = { OPEN_LEDGER: 'true', ...telling };
  const stack = started.use(await startStack({ facilitatorEnvironment, weatherEnvironment: telling }));
  const [nodeUrl, facilitatorUrl, resourceUrl] = [
    stack.node.url,
    stack.facilitator.url,
    `${stack.weather.url}/weather`,
  ];
  const { url } = started.use(await startConsole({ nodeUrl, facilitatorUrl, resourceUrl }));
  relay.passTo(url);
  const browser = await launchChromium();
  started.defer(() => browser.close());
  const page = await browser.newPage();
  const complaints: string[] = [];
  page.on('pageerror', (error) => void complaints.push(error.message));
  page.on('request', (request) => {
    if (!request.url().startsWith(url)) complaints.push(`it asked ${request.url()}`);
  });
  const folder = mkdtempSync(join(tmpdir(), 'avm402-replay-'));
  started.defer(() => rmSync(folder, { recursive: true }));
  const running = started.move();
  return {
    stack,
    url,
    page,
    complaints,
    open: async (link) => {
      await page.goto(`${url}/#/${link}`);
      await page.locator('main h1').waitFor();
    },
    payWeather: () => payFor(stack, resourceUrl),
    payThroughChannel: (requests) => payThroughChannel(stack, url, requests),
    exportPayment: async () => {
      const link = await page.getByRole('link', { name: 'Export' }).getAttribute('href');
      const file = join(folder, 'payment.json');
      writeFileSync(file, await (await fetch(url + link)).text());
      return file;
    },
    seriousIssues: () => seriousIssues(page),
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

interface Relay extends Served {
  passTo(url: string): void;
}

/** Stands in for the console until that is started: it is told the roles' addresses, and they are told this one. */
async function startRelay(): Promise<Relay> {
  let collector = '';
  const app = express().use(express.raw({ type: () => true }));
  app.post('/v1/traces', async ({ body, headers: { 'content-type': type = '' } }, response) => {
    const request = { method: 'POST', headers: { 'Content-Type': type }, body: body as Uint8Array<ArrayBuffer> };
    response.sendStatus((await fetch(`${collector}/v1/traces`, request)).status);
  });
  return { ...(await served(app)), passTo: (url) => void (collector = url) };
}

async function payFor(stack: Stack, url: string): Promise<string> {
  const pay = createPayingFetch({
    account: parseAccount(stack.accounts.payer.privateKey),
    networks: { 'algorand:*': { url: stack.node.url, token: NODE_TOKEN } },
  });
  return settlementOf(await pay(url))?.transaction ?? '';
}

async function payThroughChannel(stack: Stack, collectorUrl: string, requests: number): Promise<void> {
  const exporter = new OTLPTraceExporter({ url: `${collectorUrl}/v1/traces` });
  const provider = new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter })] });
  const payer = createPayer({
    account: parseAccount(stack.accounts.payer2.privateKey),
    networks: { 'algorand:*': { url: stack.node.url, token: NODE_TOKEN } },
    channels: {},
    tracer: provider.getTracer('buyer'),
    traceDetails: true,
  });
  for (let days = 1; days <= requests; days++) {
    const response = await payer.fetch(`${stack.weather.url}/forecast?days=${days}`);
    await response.arrayBuffer();
  }
  for (const { id } of (await payer.channels?.list()) ?? []) await payer.channels?.close(id);
  await payer.finish(CLOSE_MS);
  await provider.shutdown();
}

async function seriousIssues(page: Page): Promise<string[]> {
  await page.evaluate(AXE);
  const { violations } = await page.evaluate(() =>
    (globalThis as unknown as { axe: { run(): Promise<AxeResults> } }).axe.run(),
  );
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`);
}
