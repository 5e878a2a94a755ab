import { formText } from '../parts/form-text.ts';
import type { Control, ControlValues } from './control.ts';

/** The algod routes that payments need. */
const ROUTES = [
  'POST /v2/transactions',
  'POST /v2/transactions/simulate',
  'GET /v2/transactions/params',
  'GET /v2/transactions/pending/{txid}',
  'GET /v2/status',
  'GET /v2/status/wait-for-block-after/{round}',
  'GET /v2/blocks/{round}/txids',
  'GET /v2/accounts/{address}',
];

/** The kinds of fault, each with the values that cause it. */
const KINDS: Readonly<Record<string, ControlValues>> = {
  'answers 503': { status: 503 },
  'answers 500': { status: 500 },
  'is two seconds late': { 'delay-ms': 2000 },
  'loses the request': { lose: 'request' },
  'loses the answer': { lose: 'answer' },
};

/** A form that makes requests of a route fail, so that you see how a payment copes. */
export function FaultForm({ control }: { readonly control: Control }) {
  return (
    <form
      class="row"
      onSubmit={(event) => {
        event.preventDefault();
        const chosen = new FormData(event.currentTarget);
        const times = Number(chosen.get('times'));
        control('addFault', {
          route: formText(chosen, 'route'),
          ...KINDS[formText(chosen, 'kind')],
          ...(times > 0 && { times }),
        });
      }}
    >
      <label>
        Route
        <select name="route">
          {ROUTES.map((route) => (
            <option>{route}</option>
          ))}
        </select>
      </label>
      <label>
        What happens
        <select name="kind">
          {Object.keys(KINDS).map((kind) => (
            <option>{kind}</option>
          ))}
        </select>
      </label>
      <label>
        How often
        <select name="times">
          <option value="1">once</option>
          <option value="3">3 times</option>
          <option value="0">always</option>
        </select>
      </label>
      <button>Set the fault</button>
    </form>
  );
}
