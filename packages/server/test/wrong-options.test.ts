import { isX402Error } from '@avm402/core/errors';
import { expect, it } from 'vitest';
import { createSeller } from '../src/seller.ts';

const facilitator = 'http://127.0.0.1:9';
const payTo = 'TSHTNLDCQVAYVGLG44OMCZLT7CWEEITYZ72W6KKTM2TTJRLGN2LLXU3UIY';
const seller = createSeller({ facilitator });

/** What JavaScript gives where TypeScript asks for an object of ours. */
const WRONG: readonly unknown[] = [null, [], 'text', 3, true, () => undefined];
/** Where an object, or a function, is taken. */
const PLACES: Readonly<Record<string, (wrong: never) => unknown>> = {
  createSeller,
  facilitator: (wrong) => createSeller({ facilitator: wrong }),
  server: (wrong) => createSeller({ server: wrong }),
  channels: (wrong) => createSeller({ facilitator, channels: wrong }),
  'channels.store': (wrong) => createSeller({ facilitator, channels: { store: wrong } }),
  atRisk: (wrong) => createSeller({ facilitator, atRisk: wrong }),
  store: (wrong) => createSeller({ facilitator, store: wrong }),
  page: (wrong) => createSeller({ facilitator, page: wrong }),
  tracer: (wrong) => createSeller({ facilitator, tracer: wrong }),
  'price’s terms': (wrong) => seller.price('$0.01', wrong),
  middleware: (wrong) => seller.middleware(wrong),
  'a route': (wrong) => seller.middleware({ 'GET /joke': wrong }),
  paid: (wrong) => seller.paid(wrong),
  priced: (wrong) => seller.priced(wrong),
  pricedRoutes: (wrong) => seller.pricedRoutes(wrong),
};

const cases = Object.entries(PLACES).flatMap(([place, call]) =>
  WRONG.map((wrong): [string, unknown, (wrong: never) => unknown] => [place, wrong, call]),
);

it.each(cases)('%s that is %o is refused by a code when it is called', (_place, wrong, call) => {
  expect(isX402Error(thrownBy(() => call(wrong as never)))).toBe(true);
});

it.each(['onEvent', 'beforePayment', 'now', 'monotonicNow', 'randomBytes'])(
  '%s that is no function is refused',
  (name) => {
    for (const wrong of [null, {}, 'text', 3, true]) {
      const error = thrownBy(() => createSeller({ facilitator, [name]: wrong }));
      expect(error).toMatchObject({ code: 'invalid_option', details: { option: name } });
    }
  },
);

it.each(['api.example.com', 'https://api.example.com?a=b', 'https://api.example.com:99999'])(
  'a publicUrl that begins no URL is refused: %s',
  (publicUrl) => {
    const error = thrownBy(() => createSeller({ facilitator, publicUrl }));
    expect(error).toMatchObject({ code: 'invalid_option', details: { option: 'publicUrl' } });
  },
);

it('a price that is no text, number or amount is refused', () => {
  for (const wrong of [null, [], true]) {
    expect(isX402Error(thrownBy(() => seller.price(wrong as never, { payTo })))).toBe(true);
  }
});

it.each([[''], [[]], [['']], [['http://127.0.0.1:9', '']]])(
  'a facilitator that is named by nothing, as by an empty variable, is missing: %j',
  (empty) => {
    const error = thrownBy(() => createSeller({ facilitator: empty }));
    expect(error).toMatchObject({ code: 'invalid_option', details: { option: 'facilitator' } });
  },
);

it('an option that is undefined counts as left out', () => {
  const options: object = {
    channels: undefined,
    atRisk: undefined,
    store: undefined,
    onEvent: undefined,
    now: undefined,
  };
  expect(thrownBy(() => createSeller({ facilitator, ...options }))).toBeUndefined();
});

function thrownBy(call: () => unknown): unknown {
  try {
    call();
  } catch (error) {
    return error;
  }
  return undefined;
}
