interface Page {
  readonly text: string;
  readonly link: string;
}

interface Section {
  readonly text: string;
  readonly items: readonly Page[];
}

const page = (text: string, link: string): Page => ({ text, link });

/** Every page that readers look for, grouped by their purpose. llms.txt is made from this list as well. */
export const sections: readonly Section[] = [
  {
    text: 'Tutorials',
    items: [
      page('avm402 in short', '/README'),
      page('The first payment', '/docs/first-payment'),
      page('Start in ten lines', '/docs/start'),
      page('Get the packages', '/docs/install'),
      page('See a payment', '/docs/console'),
    ],
  },
  {
    text: 'How to sell',
    items: [
      page('With Express', '/docs/server'),
      page('With other frameworks', '/docs/frameworks'),
      page('By the token', '/docs/how-to/meter-what-is-used'),
      page('Through a contract', '/docs/how-to/be-paid-through-a-contract'),
      page('To people in a browser', '/docs/paying-page'),
      page('From @x402/express', '/docs/how-to/migrate-from-x402-express'),
    ],
  },
  {
    text: 'How to buy',
    items: [
      page('With fetch', '/docs/client'),
      page('With another HTTP client', '/docs/how-to/pay-with-another-http-client'),
      page('Let an agent pay', '/docs/mcp'),
      page('Give an agent a budget', '/docs/mandates'),
    ],
  },
  {
    text: 'How to test',
    items: [
      page('Develop on an embedded node', '/docs/devnode'),
      page('Test payments', '/docs/devnode/x402'),
      page('Test a dapp', '/docs/devnode/dapps'),
      page('Test with algokit-utils', '/docs/devnode/algokit-utils'),
      page('In continuous integration', '/docs/devnode/ci'),
      page('In place of AlgoKit LocalNet', '/docs/localnet'),
      page('Write programs', '/docs/teal'),
    ],
  },
  {
    text: 'How to operate',
    items: [
      page('Run a facilitator', '/docs/facilitator'),
      page('Choose its callers', '/docs/facilitator/callers'),
      page('Sponsor fees', '/docs/facilitator/sponsoring'),
      page('Watch it, back it up', '/docs/facilitator/operating'),
      page('List what is sold', '/docs/facilitator/discovery'),
      page('Deploy it', '/docs/deploy'),
      page('Scale it', '/docs/scaling'),
      page('Go to TestNet and MainNet', '/docs/how-to/testnet-and-mainnet'),
    ],
  },
  {
    text: 'Reference',
    items: [
      page('Errors, by what to do', '/docs/errors'),
      page('Commands', '/docs/reference/commands'),
      page('Environment', '/docs/reference/environment'),
      page('Settings of the facilitator', '/docs/facilitator/settings'),
      page('API', '/docs/reference/api/'),
      page('Telemetry', '/docs/telemetry'),
      page('Channels: batch-settlement', '/docs/specs/scheme_batch_settlement_avm'),
      page('At most a price: upto', '/docs/specs/scheme_upto_avm'),
      page('An agent’s budget: mandates', '/docs/specs/mandate_avm'),
      page('For coding agents', '/docs/SKILL'),
    ],
  },
  {
    text: 'Explanations',
    items: [
      page('How a payment settles', '/docs/settlement'),
      page('Security', '/docs/security'),
      page('Beside the stock packages', '/docs/beside-stock'),
      page('Interoperability', '/docs/interop'),
      page('Speed', '/bench/RESULTS'),
      page('Architecture', '/ARCHITECTURE'),
      page('Decisions', '/docs/decisions/'),
      page('Contributing', '/CONTRIBUTING'),
    ],
  },
];
