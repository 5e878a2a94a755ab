import { freePort } from '@avm402/stack/free-port';
import { startConsole } from '@avm402/stack/programs';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { SimpleSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { type Stage, startStage } from './stage.ts';

let stage: Stage;
beforeAll(async () => {
  stage = await startStage();
}, 120_000);
afterAll(() => stage?.[Symbol.asyncDispose]());
afterEach(() => expect(stage.complaints).toEqual([]));

it('payments are shown while they come faster than they can be drawn', async () => {
  const exporter = new OTLPTraceExporter({ url: `${stage.url}/v1/traces` });
  const provider = new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter })] });
  const tracer = provider.getTracer('seller');
  await stage.open('payments');
  let reported = 0;
  const reporting = setInterval(() => {
    const attributes = { 'url.path': `/${reported++}`, 'x402.payer': 'somebody', 'http.response.status_code': 200 };
    tracer.startSpan('x402.serve', { attributes }).end();
  }, 5);
  // Some of those after the first 300; the console keeps 500.
  const late = stage.page.getByRole('link', { name: /^\/(?:[3-9]\d\d|\d{4,})$/ });
  await late.first().waitFor({ timeout: 50_000 });
  clearInterval(reporting);
  await provider.shutdown();
});

it('a page that nobody sees keeps no other from being opened', async () => {
  await using context = await stage.page.context().browser()?.newContext();
  // A browser has six connections for all of them.
  for (let count = 0; count < 7; count++) {
    const tab = await context?.newPage();
    await tab?.goto(stage.url, { timeout: 10_000 });
    await tab?.getByText('live').waitFor();
    await tab?.evaluate(() => {
      Object.defineProperty(document, 'hidden', { value: true });
      document.dispatchEvent(new Event('visibilitychange'));
    });
  }
});

it('a page shows what there is when the console has started again', async () => {
  const { stack, page } = stage;
  const PORT = String(await freePort(24_023));
  const [nodeUrl, facilitatorUrl] = [stack.node.url, stack.facilitator.url];
  const start = () => startConsole({ nodeUrl, facilitatorUrl, resourceUrl: `${stack.weather.url}/weather` }, { PORT });
  await using first = await start();
  await using context = await page.context().browser()?.newContext();
  const tab = await context?.newPage();
  await tab?.goto(`${first.url}/#/payments`);
  await tab?.getByRole('button', { name: 'Pay for' }).click();
  await tab?.getByText('Where the time went').waitFor();
  await tab?.goto(`${first.url}/#/payments`);
  await tab?.getByText('$0.01 USDC').waitFor();
  await first.stop();
  await using _second = await start();
  await tab?.getByText('No payments reported yet').waitFor();
});
