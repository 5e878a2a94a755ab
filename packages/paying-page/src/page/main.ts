import { ordersOf, readFacts } from './order.ts';
import { Till } from './till.ts';

const facts = readFacts();
const orders = ordersOf(facts);
const [first, ...others] = orders;
if (first) document.querySelector('main > ul')?.after(new Till(facts, [first, ...others]).panel);
