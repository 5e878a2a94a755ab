import type { Checkout, Outcome } from './checkout.ts';
import { button, element } from './element.ts';
import type { Failure } from './failure.ts';
import { isByChannel, type Order, type PageFacts } from './order.ts';
import { Progress, type Step } from './progress.ts';
import { type WalletAccount, WALLETS } from './wallet.ts';
import { choiceWords, paidWords, payWords, stepWords, termsWords } from './words.ts';

/** A wallet that is there has opened a window by then, or answered. */
const NOT_INSTALLED_MS = 1_000;

/** The flow of a payment on the page, from the choice of a wallet to the paid content. */
export class PaymentPanel {
  readonly element = element('section', { class: 'payment', 'aria-label': 'Pay here', tabindex: '-1' });
  readonly #facts: PageFacts;
  #order: Order;
  /** Announces what goes on, for screen readers too. */
  readonly #status = element('p', { role: 'status' });
  readonly #body = element('div', {});
  /** The choice of an offer, which is open until a wallet is chosen. */
  readonly #choice: HTMLFieldSetElement;
  #progress: Progress;
  /** Counts the choices of a wallet; results of an earlier choice are ignored. */
  #choices = 0;
  /** Whether the page waits for a wallet's answer. */
  #isConnecting = false;
  #account: WalletAccount | undefined;
  #checkout: Checkout | undefined;

  constructor(facts: PageFacts, orders: readonly [Order, ...Order[]]) {
    this.#facts = facts;
    this.#order = orders[0];
    this.#progress = new Progress(stepWords(this.#order));
    this.#choice = this.#choiceOf(orders);
    if (orders.length > 1) this.element.append(this.#choice);
    this.element.append(this.#body, this.#status);
    this.#askForWallet();
    addEventListener('beforeunload', (event) => {
      // Only this page knows the payment that is under way.
      if (this.#checkout?.isSent === true) event.preventDefault();
    });
  }

  /** Radio buttons if there is more than one offer. */
  #choiceOf(orders: readonly Order[]): HTMLFieldSetElement {
    const choices = orders.map((order) => {
      const input = element('input', { type: 'radio', name: 'offer' });
      input.checked = order === this.#order;
      input.addEventListener('change', () => {
        this.#order = order;
        this.#askForWallet();
      });
      return element('label', {}, input, choiceWords(order));
    });
    return element('fieldset', {}, element('legend', {}, 'How to pay'), ...choices);
  }

  #askForWallet(): void {
    this.#choices++;
    this.#status.textContent = '';
    this.#choice.disabled = false;
    const { network } = this.#order;
    const terms = termsWords(this.#order);
    const wallets = WALLETS.map((wallet) =>
      button(wallet.name, () => {
        this.#connect(async () => (await import('./connect-wallet.ts')).connectWallet(wallet.id, network));
        this.#tellIfNotInstalled(wallet);
      }),
    );
    const development = button('Development account', () =>
      this.#connect(async () => (await import('./development-accounts.ts')).developmentAccounts()),
    );
    this.#body.replaceChildren(
      element('h2', {}, `${payWords(this.#order)} with`),
      ...(terms === undefined ? [] : [element('p', {}, terms)]),
      buttonsOf(network.hasDevelopmentAccounts ? [development, ...wallets] : wallets),
      withoutWallet(),
    );
  }

  #connect(accountsOf: () => Promise<readonly WalletAccount[]>): void {
    this.#choice.disabled = true;
    this.#progress = new Progress(stepWords(this.#order));
    this.#body.replaceChildren(this.#progress.list, element('div', { class: 'buttons' }, this.#otherWallet()));
    // The clicked button is gone.
    this.element.focus();
    this.#at('connect');
    const choice = this.#choices;
    void this.#failing(async () => {
      const accounts = await accountsOf();
      if (choice !== this.#choices) return;
      this.#isConnecting = false;
      const [only] = accounts;
      if (accounts.length === 1 && only) await this.#pay(only);
      else if (only) this.#askForAccount(accounts);
      else throw new Error('The wallet has no account for this page.');
    });
  }

  /** Says where a wallet comes from, if it has not answered after a second. */
  #tellIfNotInstalled({ name, site }: (typeof WALLETS)[number]): void {
    const choice = this.#choices;
    setTimeout(() => {
      if (choice !== this.#choices || !this.#isConnecting) return;
      const link = element('a', { href: site, target: '_blank', rel: 'noopener noreferrer' }, `Get ${name}`);
      this.#body.append(element('p', { class: 'hint' }, `Nothing happens? ${name} may not be installed. `, link));
    }, NOT_INSTALLED_MS);
  }

  #askForAccount(accounts: readonly WalletAccount[]): void {
    const options = accounts.map(({ name, address }, index) =>
      element('option', { value: String(index) }, `${name} (${address.slice(0, 6)}…${address.slice(-4)})`),
    );
    const select = element('select', {}, ...options);
    const pay = button(payWords(this.#order), () => {
      // A second click while the code that pays is loading would pay once more.
      pay.disabled = true;
      const account = accounts[Number(select.value)];
      if (account) void this.#failing(() => this.#pay(account));
    });
    this.#status.textContent = '';
    this.#body.replaceChildren(
      element('label', {}, 'Pay from', select),
      element('div', { class: 'buttons' }, pay, this.#otherWallet()),
    );
    select.focus();
  }

  async #pay(account: WalletAccount): Promise<void> {
    const choice = this.#choices;
    this.#account = account;
    const { Checkout: CheckoutOfOrder } = await import('./checkout.ts');
    if (choice !== this.#choices) return;
    const { folder, settings } = this.#facts;
    this.#checkout = new CheckoutOfOrder({
      order: this.#order,
      account,
      frame: folder + settings.frame,
      onStep: (step, isPending) => this.#at(step, isPending),
    });
    await this.#checkOut(this.#checkout);
  }

  async #checkOut(checkout: Checkout): Promise<void> {
    this.#body.replaceChildren(this.#progress.list);
    const outcome = await checkout.pay();
    if (outcome.kind === 'paid') this.#showContent(outcome);
    else this.#showFailure(outcome.failure);
  }

  #showContent({ content, txId, charged }: Extract<Outcome, { kind: 'paid' }>): void {
    this.#progress.stop();
    this.#status.textContent = paidWords(this.#order, txId, charged);
    const close = isByChannel(this.#order.offer) ? [this.#closeButton()] : [];
    const attributes = { class: 'content', 'aria-label': 'What you paid for', tabindex: '-1' };
    const shown = element('section', attributes, ...content, ...close);
    const main = document.querySelector('main');
    main?.replaceChildren(...main.querySelectorAll('h1'), this.#status, shown);
    document.title = 'Paid';
    shown.focus();
  }

  #closeButton(): HTMLButtonElement {
    const close = button('Close the channel and take back the rest', () => {
      close.disabled = true;
      this.#status.textContent = 'Closing the channel …';
      void this.#close().catch((error: unknown) => {
        const why = error instanceof Error ? error.message : String(error);
        this.#status.textContent = `The channel is not closed: ${why}. What is in it comes back once it expires.`;
        close.disabled = false;
      });
    });
    return close;
  }

  async #close(): Promise<void> {
    await this.#checkout?.closeChannels();
    this.#status.textContent = 'The channel is closed: what you did not spend is back.';
  }

  #showFailure({ message, remedy, code, next }: Failure): void {
    this.#isConnecting = false;
    this.#progress.stop();
    this.#status.textContent = '';
    const checkout = this.#checkout;
    const retry =
      next === 'reload'
        ? button('Load the page again', () => location.reload())
        : button(next === 'look' ? 'Look again' : 'Try again', () => {
            if (checkout) void this.#failing(() => this.#checkOut(checkout));
            else this.#askForWallet();
          });
    const alert = element(
      'div',
      { role: 'alert', tabindex: '-1' },
      element('p', {}, element('strong', {}, message)),
      element('p', {}, remedy),
      element('p', {}, element('code', {}, code)),
    );
    const others = next === 'again' ? [this.#otherWallet()] : [];
    this.#body.replaceChildren(this.#progress.list, alert, element('div', { class: 'buttons' }, retry, ...others));
    alert.focus();
  }

  #otherWallet(): HTMLButtonElement {
    return button('Another wallet', () => {
      void this.#account?.disconnect();
      this.#account = undefined;
      this.#checkout = undefined;
      this.#askForWallet();
      this.element.focus();
    });
  }

  #at(step: Step, isPending = false): void {
    this.#isConnecting = step === 'connect';
    this.#progress.at(step);
    this.#status.textContent = isPending
      ? 'The payment was sent, and its block is not there yet. Do not pay again; this page keeps asking.'
      : `${stepWords(this.#order)[step]} …`;
  }

  /** Shows an error thrown by `work`: nothing was paid, or the checkout says what was. */
  async #failing(work: () => Promise<void>): Promise<void> {
    const choice = this.#choices;
    try {
      await work();
    } catch (error) {
      if (choice !== this.#choices) return;
      const message = error instanceof Error ? error.message : String(error);
      const remedy = 'Nothing was paid. Unlock the wallet, allow this page in it, and try again.';
      this.#showFailure({ message, remedy, code: 'wallet_not_connected', next: 'again' });
    }
  }
}

/** The first button is the main one. */
function buttonsOf(buttons: readonly HTMLButtonElement[]): HTMLElement {
  buttons[0]?.classList.add('primary');
  return element('div', { class: 'buttons' }, ...buttons);
}

/** What somebody does who has no wallet. */
function withoutWallet(): HTMLElement {
  const command = `npx avm402 pay ${location.href}`;
  return element(
    'details',
    {},
    element('summary', {}, 'I have no wallet'),
    element(
      'p',
      {},
      'Install one of these on your phone or in your browser, buy USDC on Algorand in it, and load this page again.',
    ),
    element('p', {}, 'Or pay from a terminal: ', element('code', {}, command)),
  );
}
