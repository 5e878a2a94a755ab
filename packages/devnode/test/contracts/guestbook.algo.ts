import {
  type Account,
  assert,
  BoxMap,
  Contract,
  emit,
  Global,
  GlobalState,
  type gtxn,
  itxn,
  Txn,
  type uint64,
} from '@algorandfoundation/algorand-typescript';
import { abimethod } from '@algorandfoundation/algorand-typescript/arc4';

/** A book of guests: each signs once, in a box, and gets a microAlgo back. */
export class Guestbook extends Contract {
  guests = GlobalState<uint64>({ initialValue: 0 });
  lines = BoxMap<Account, string>({ keyPrefix: 'line' });

  sign(deposit: gtxn.PaymentTxn, line: string): uint64 {
    assert(deposit.receiver === Global.currentApplicationAddress, 'the deposit goes to the book');
    assert(!this.lines(Txn.sender).exists, 'each guest signs once');
    this.lines(Txn.sender).value = line;
    this.guests.value += 1;
    emit('Signed', Txn.sender, this.guests.value);
    itxn.payment({ receiver: Txn.sender, amount: 1, note: line, fee: 0 }).submit();
    return this.guests.value;
  }

  @abimethod({ readonly: true })
  line(of: Account): string {
    assert(this.lines(of).exists, 'no such guest');
    return this.lines(of).value;
  }
}
