import type { Facts as SpanFacts, RecordedSpan } from '../../payments/recorded-span.ts';
import { HEADERS } from '../../payments/reported-message.ts';
import { roleOf } from './step.ts';

/** The requests and answers with the content of their x402 headers, as far as roles report it. */
export function Messages({ spans }: { readonly spans: readonly RecordedSpan[] }) {
  const messages = spans
    .flatMap(({ events, id, name: span }) =>
      events.map((event, index) => ({ ...event, key: `${id} ${index}`, role: roleOf(span) })),
    )
    .filter(({ name }) => name === 'x402.message')
    .toSorted((one, other) => one.at - other.at);
  if (messages.length === 0) return null;
  return (
    <>
      <h2>Messages</h2>
      <ol class="cards">
        {messages.map(({ facts, role, key }) => (
          <li class="card" key={key}>
            <div class="movement">
              <code>{lineOf(facts)}</code>
              <span class="quiet">
                {facts['x402.direction'] === 'sent' ? 'sent' : 'received'} by the {role}
              </span>
            </div>
            <Headers facts={facts} />
          </li>
        ))}
      </ol>
    </>
  );
}

function lineOf(facts: SpanFacts): string {
  const arrow = facts['x402.direction'] === 'sent' ? '→' : '←';
  const names = ['http.request.method', 'server.address', 'url.path', 'http.response.status_code'];
  const [method = '', host = '', path = '', status = ''] = names.map((name) => facts[name]);
  return `${arrow} ${String(method)} ${String(host)}${String(path)} ${String(status)}`.replaceAll(/ +/g, ' ');
}

function Headers({ facts }: { readonly facts: SpanFacts }) {
  return (
    <>
      {Object.entries(HEADERS).map(([header, fact]) => {
        const message = facts[fact];
        return (
          typeof message === 'string' && (
            <details>
              <summary>{header}</summary>
              <pre>{indented(message)}</pre>
            </details>
          )
        );
      })}
    </>
  );
}

function indented(json: string): string {
  try {
    return JSON.stringify(JSON.parse(json), undefined, 2);
  } catch {
    return json;
  }
}
