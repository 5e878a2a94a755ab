import type { Facts as SpanFacts, RecordedSpan } from '../../payments/recorded-span.ts';

/** The requests and answers with what their headers of x402 say, as far as the roles tell of it. */
export function Messages({ spans }: { readonly spans: readonly RecordedSpan[] }) {
  const messages = spans
    .flatMap(({ events, name: span }) => events.map((event) => ({ ...event, span })))
    .filter(({ name }) => name === 'x402.message')
    .toSorted((one, other) => one.at - other.at);
  if (messages.length === 0) return null;
  return (
    <>
      <h2>Messages</h2>
      <ol class="cards">
        {messages.map(({ facts, span }) => (
          <li class="card">
            <Message facts={facts} span={span} />
          </li>
        ))}
      </ol>
    </>
  );
}

function Message({ facts, span }: { readonly facts: SpanFacts; readonly span: string }) {
  const isSent = facts['x402.direction'] === 'sent';
  const line = isSent
    ? `${String(facts['http.request.method'] ?? '')} ${String(facts['server.address'] ?? '')}${String(facts['url.path'] ?? '')}`
    : `answered ${String(facts['http.response.status_code'] ?? '')}`;
  const message = facts['x402.message'];
  return (
    <>
      <div class="movement">
        <span aria-hidden="true">{isSent ? '→' : '←'}</span>
        <code>{line}</code>
        <span class="quiet">{span.replace('x402.', '')}</span>
      </div>
      {typeof message === 'string' && (
        <details>
          <summary>{headerOf(message)}</summary>
          <pre>{indented(message)}</pre>
        </details>
      )}
    </>
  );
}

/** The header that a message travels in is known by what is in it. */
function headerOf(message: string): string {
  if (message.includes('"accepts"')) return 'PAYMENT-REQUIRED';
  return message.includes('"accepted"') ? 'PAYMENT-SIGNATURE' : 'PAYMENT-RESPONSE';
}

function indented(json: string): string {
  try {
    return JSON.stringify(JSON.parse(json), undefined, 2);
  } catch {
    return json;
  }
}
