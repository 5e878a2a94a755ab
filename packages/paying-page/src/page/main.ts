import { ordersOf, readFacts } from './order.ts';
import { PaymentPanel } from './payment-panel.ts';

const facts = readFacts();
const orders = ordersOf(facts);
const [first, ...others] = orders;
if (first) document.querySelector('main > ul')?.after(new PaymentPanel(facts, [first, ...others]).element);
