from algopy import Account, ARC4Contract, Box, BoxMap, Bytes, Global, String, Txn, UInt64, arc4, gtxn, itxn, op


class Entry(arc4.Struct):
    owner: arc4.Address
    since: arc4.UInt64
    text: arc4.String


class Register(ARC4Contract):
    """Keeps an entry for each name in a box of its own, whose deposit comes back with its release."""

    def __init__(self) -> None:
        self.entries = BoxMap(String, Entry, key_prefix="e_")
        self.log = Box(Bytes, key="log")
        self.count = UInt64(0)

    @arc4.abimethod
    def register(self, deposit: gtxn.PaymentTransaction, name: String, text: String) -> Entry:
        assert name not in self.entries, "the name is taken"
        assert deposit.receiver == Global.current_application_address, "the deposit goes to the register"
        before = Global.current_application_address.min_balance
        self.entries[name] = Entry(arc4.Address(Txn.sender), arc4.UInt64(Global.round), arc4.String(text))
        self.count += 1
        cost = Global.current_application_address.min_balance - before
        assert deposit.amount >= cost, "the deposit does not cover the box"
        return self.entries[name]

    @arc4.abimethod
    def change(self, name: String, text: String) -> None:
        """The box is resized to the new text."""
        entry = self.entries[name].copy()
        assert entry.owner == Txn.sender, "only its owner changes an entry"
        entry.text = arc4.String(text)
        self.entries[name] = entry.copy()

    @arc4.abimethod
    def release(self, name: String) -> UInt64:
        assert self.entries[name].owner == Txn.sender, "only its owner releases an entry"
        before = Global.current_application_address.min_balance
        del self.entries[name]
        self.count -= 1
        back = before - Global.current_application_address.min_balance
        itxn.Payment(receiver=Txn.sender, amount=back, fee=0).submit()
        return back

    @arc4.abimethod(readonly=True)
    def entry(self, name: String) -> Entry:
        assert name in self.entries, "no such name"
        return self.entries[name]

    @arc4.abimethod
    def copy_entry(self, of: String, to: String) -> None:
        """Two boxes in one call, which populating must find both."""
        self.entries[to] = self.entries[of].copy()

    @arc4.abimethod
    def keep(self, size: UInt64) -> UInt64:
        """A box larger than one reference may read."""
        assert self.log.create(size=size), "the log exists"
        op.Box.replace(b"log", size - 5, b"hello")
        op.Box.splice(b"log", 0, 0, b"begin")
        return self.log.length

    @arc4.abimethod(readonly=True)
    def is_owner(self, account: Account, name: String) -> bool:
        return name in self.entries and self.entries[name].owner == account
