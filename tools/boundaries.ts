/** The imports that a package's sources may have: of our packages, of the published `@x402/*` packages and of Node. */
export interface Boundary {
  /** A package's name allows all its entries, a longer name one; `*` is any scheme. Other npm packages are unrestricted. */
  readonly imports: readonly string[];
  /** Whether it runs in a browser, without any of Node's own modules. */
  readonly browser?: true;
  /** Imports that only some of its files may have; `node:*` stands for Node's modules. */
  readonly besides?: { readonly files: string; readonly imports: readonly string[] };
  /** For each folder, the other folders that it imports, and no more. Files outside folders wire them together. */
  readonly folders?: Readonly<Record<string, readonly string[]>>;
}

/** The architecture's arrows, all in this table. */
export const BOUNDARIES: Readonly<Record<string, Boundary>> = {
  'packages/core': { imports: [], browser: true },
  'packages/algorand': { imports: [], browser: true },
  'packages/teal': {
    imports: ['@avm402/algorand'],
    browser: true,
    besides: { files: 'src/cli', imports: ['node:*'] },
  },
  'packages/avm': {
    imports: ['@avm402/core', '@avm402/algorand', '@x402/core'],
    browser: true,
    folders: {
      network: [],
      node: [],
      wire: [],
      signing: ['wire'],
      sponsorship: ['node', 'wire'],
      // A scheme imports what all schemes share, and never another scheme.
      exact: ['network', 'node', 'signing', 'sponsorship', 'wire'],
      'batch-settlement': ['network', 'node', 'signing', 'sponsorship', 'wire'],
      upto: ['network', 'node', 'signing', 'sponsorship', 'wire'],
      mandate: ['signing'],
    },
  },
  'packages/devnode': { imports: ['@avm402/algorand', '@avm402/teal'] },
  'packages/facilitator': {
    imports: [
      '@avm402/core',
      '@avm402/algorand',
      '@avm402/avm/*/facilitator',
      '@avm402/avm/batch-settlement',
      '@avm402/avm/sponsorship',
      '@x402/core',
    ],
    folders: {
      log: [],
      callers: [],
      chain: ['log'],
      discovery: ['callers', 'log'],
      settlement: ['callers', 'chain', 'discovery', 'log'],
      stores: ['discovery', 'log', 'settlement'],
      sponsor: ['chain', 'log', 'settlement'],
      schemes: ['chain', 'log', 'settlement'],
      observe: ['chain', 'log', 'settlement', 'sponsor'],
      http: ['callers', 'discovery', 'log', 'observe', 'settlement'],
      operate: [
        'callers',
        'chain',
        'discovery',
        'http',
        'log',
        'observe',
        'schemes',
        'settlement',
        'sponsor',
        'stores',
      ],
    },
  },
  'packages/server': {
    imports: [
      '@avm402/core',
      '@avm402/avm/*/server',
      '@avm402/avm/exact',
      '@avm402/avm/batch-settlement',
      '@avm402/avm/batch-settlement/server/record',
      '@avm402/avm/upto',
      '@x402/core',
    ],
    folders: {
      stores: [],
      response: [],
      request: ['response'],
      routes: ['request'],
      facilitator: [],
      offers: ['facilitator', 'request', 'routes'],
      page: ['request', 'response'],
      redemption: ['response', 'stores'],
      risk: ['facilitator', 'redemption', 'stores'],
      exchange: ['facilitator', 'offers', 'page', 'redemption', 'request', 'response', 'risk', 'routes'],
      run: ['exchange', 'offers', 'response'],
      flows: ['exchange', 'facilitator', 'offers', 'redemption', 'request', 'response', 'risk', 'run'],
      schemes: ['exchange', 'flows'],
      channels: ['exchange', 'facilitator', 'offers', 'request', 'response', 'run', 'stores'],
      hosts: ['channels', 'exchange', 'facilitator', 'request', 'response', 'routes'],
    },
  },
  'packages/client': {
    imports: [
      '@avm402/core',
      '@avm402/algorand',
      '@avm402/avm/*/client',
      '@avm402/avm/batch-settlement',
      '@avm402/avm/mandate',
    ],
  },
  // A replay repeats the checks of sellers and facilitators on the embedded node, and asks no role.
  'packages/cli': {
    imports: [
      '@avm402/core',
      '@avm402/algorand',
      '@avm402/client',
      '@avm402/avm/exact/client',
      '@avm402/avm/batch-settlement/client',
      '@avm402/avm/mandate',
      '@avm402/avm/exact',
      '@avm402/avm/exact/facilitator',
      '@avm402/avm/sponsorship',
      '@avm402/devnode',
    ],
  },
  'packages/paying-page': { imports: ['@avm402/core', '@avm402/algorand', '@avm402/client', '@avm402/server'] },
  'packages/console': { imports: ['@avm402/core', '@avm402/algorand', '@avm402/client', '@avm402/devnode'] },
  'packages/create-avm402': { imports: [] },
  'apps/weather': {
    imports: ['@avm402/server', '@avm402/avm/*/server', '@avm402/paying-page', '@x402/express'],
  },
};
