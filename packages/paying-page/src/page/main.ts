import { ordersOf, readFacts } from './order.ts';
import { PaymentPanel } from './payment-panel.ts';

const facts = readFacts();
const orders = ordersOf(facts);
const [first, ...others] = orders;
// Behind all offers and those whom they pay.
const last = [...document.querySelectorAll('main > .seller')].at(-1);
if (first) last?.after(new PaymentPanel(facts, [first, ...others]).element);
