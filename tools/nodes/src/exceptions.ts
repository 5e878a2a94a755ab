import type { Exceptions } from './outcome.ts';

const NO_SQLITE = 'needs node:sqlite, which Node 20 lacks: @avm402/server/sqlite promises Node 24';
const FACILITATOR = 'sells through @avm402/facilitator, which promises Node 24';
const NO_HOOKS = 'lists what Node loads by registerHooks, which Node 20 lacks';
const SHOWN_TYPESCRIPT = 'gives TypeScript to node on its command line, which Node 20 does not take';

/** Tests that can't pass on a version, by the beginning of their names. One that passes anyway fails the run. */
export const EXCEPTIONS: Readonly<Record<20 | 22, Exceptions>> = {
  20: {
    'packages/core/test/readme.test.ts > the README’s example prints': SHOWN_TYPESCRIPT,
    'packages/devnode/test/localnet-docs.test.ts > docs/localnet.md shows code that runs': SHOWN_TYPESCRIPT,
    'packages/teal/test/docs.test.ts > docs/teal.md shows code that runs': SHOWN_TYPESCRIPT,
    'packages/teal/test/readme.test.ts > the README’s example prints': SHOWN_TYPESCRIPT,
    'packages/server/test/channel-store.test.ts > a channel store in SQLite': NO_SQLITE,
    'packages/server/test/channel-store.test.ts > the channel store in SQLite': NO_SQLITE,
    'packages/server/test/killed-channel-store.test.ts > a process killed after 1 charges has': NO_SQLITE,
    'packages/server/test/killed-channel-store.test.ts > a process killed after 20 charges': NO_SQLITE,
    'packages/server/test/killed-channel-store.test.ts > a process killed after 200 charges': NO_SQLITE,
    'packages/server/test/redemption-store.test.ts > a redemption store in SQLite': NO_SQLITE,
    'packages/server/test/redemption-store.test.ts > a store of risks in SQLite': NO_SQLITE,
    'packages/server/test/redemption-store.test.ts > the kept responses of a store in SQLite': NO_SQLITE,
    'packages/server/test/redemption-store.test.ts > the store in SQLite': NO_SQLITE,
    'packages/server/test/takeover.test.ts > a server that dies with a claim in its handler: another one': NO_SQLITE,
    'packages/server/test/takeover.test.ts > a server that dies with a claim while it settles': NO_SQLITE,
    'packages/server/test/takeover.test.ts > two servers on one store': NO_SQLITE,
    'packages/server/test/accepted-payers.test.ts': FACILITATOR,
    'packages/server/test/accepted-losses.test.ts': FACILITATOR,
    'packages/server/test/accepted.test.ts > an accepted route': FACILITATOR,
    'packages/server/test/documentation.test.ts': FACILITATOR,
    'packages/server/test/fee-payers.test.ts': FACILITATOR,
    'packages/server/test/frameworks.test.ts': FACILITATOR,
    'packages/server/test/in-process.test.ts': FACILITATOR,
    'packages/server/test/upto.test.ts': FACILITATOR,
    'packages/server/test/what-a-start-loads.test.ts > a seller of one price starts without': NO_HOOKS,
  },
  22: {},
};
