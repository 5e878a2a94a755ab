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
    text: 'Start',
    items: [
      page('In ten lines', '/docs/start'),
      page('Getting the packages', '/docs/install'),
      page('avm402 in short', '/README'),
    ],
  },
  {
    text: 'How to',
    items: [
      page('Sell', '/docs/server'),
      page('Web frameworks', '/docs/frameworks'),
      page('Buy', '/docs/client'),
      page('Buy with another HTTP client', '/docs/how-to/pay-with-another-http-client'),
      page('Let an agent pay', '/docs/mcp'),
      page('Let people pay in a browser', '/docs/paying-page'),
      page('Charge for what was used', '/docs/how-to/meter-what-is-used'),
      page('Run a facilitator', '/docs/facilitator'),
      page('Its callers', '/docs/facilitator/callers'),
      page('Its sponsor', '/docs/facilitator/sponsoring'),
      page('Its operation', '/docs/facilitator/operating'),
      page('Its catalogue', '/docs/facilitator/discovery'),
      page('Deploy it', '/docs/deploy'),
      page('Scale it', '/docs/scaling'),
      page('Develop on an embedded node', '/docs/devnode'),
      page('Test an x402 app', '/docs/devnode/x402'),
      page('Test a dapp', '/docs/devnode/dapps'),
      page('Test with algokit-utils', '/docs/devnode/algokit-utils'),
      page('In CI', '/docs/devnode/ci'),
      page('See a payment', '/docs/console'),
      page('In place of AlgoKit LocalNet', '/docs/localnet'),
      page('To TestNet and MainNet', '/docs/how-to/testnet-and-mainnet'),
      page('From @x402/express', '/docs/how-to/migrate-from-x402-express'),
      page('Programs', '/docs/teal'),
    ],
  },
  {
    text: 'Reference',
    items: [
      page('Errors', '/docs/errors'),
      page('Commands', '/docs/reference/commands'),
      page('Environment', '/docs/reference/environment'),
      page('Settings of the facilitator', '/docs/facilitator/settings'),
      page('API', '/docs/reference/api/'),
      page('Telemetry', '/docs/telemetry'),
      page('Scheme batch-settlement', '/docs/specs/scheme_batch_settlement_avm'),
      page('Scheme upto', '/docs/specs/scheme_upto_avm'),
      page('Mandates', '/docs/specs/mandate_avm'),
    ],
  },
  {
    text: 'Understand',
    items: [
      page('Architecture', '/ARCHITECTURE'),
      page('Settlement', '/docs/settlement'),
      page('Security', '/docs/security'),
      page('Interoperation', '/docs/interop'),
      page('Speed', '/bench/RESULTS'),
      page('Decisions', '/docs/decisions/'),
      page('For coding agents', '/docs/SKILL'),
      page('Contributing', '/CONTRIBUTING'),
    ],
  },
];
