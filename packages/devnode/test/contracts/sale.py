from algopy import ARC4Contract, Asset, Global, String, Txn, UInt64, arc4, gtxn, itxn, op, subroutine


class Sale(ARC4Contract):
    """Mints a token and sells it at a fixed price in microAlgos."""

    def __init__(self) -> None:
        self.price = UInt64(0)
        self.token = Asset()
        self.sold = UInt64(0)

    @arc4.abimethod
    def mint(self, name: String, supply: UInt64, price: UInt64) -> Asset:
        assert Txn.sender == Global.creator_address, "only the creator mints"
        assert not self.token, "the token exists"
        assert price > 0, "nothing is sold for nothing"
        self.price = price
        created = itxn.AssetConfig(
            total=supply, asset_name=name, unit_name="SALE", manager=Global.current_application_address, fee=0
        ).submit()
        self.token = created.created_asset
        return self.token

    @arc4.abimethod
    def buy(self, payment: gtxn.PaymentTransaction) -> UInt64:
        """Sends the caller as many tokens as the payment is worth, and the change back."""
        assert payment.receiver == Global.current_application_address, "the payment goes to the sale"
        assert payment.sender == Txn.sender, "who pays is who buys"
        amount = payment.amount // self.price
        assert amount > 0, "the payment buys no token"
        self.send(amount)
        change = payment.amount % self.price
        if change:
            itxn.Payment(receiver=Txn.sender, amount=change, note=b"change", fee=0).submit()
        self.sold += amount
        return amount

    @arc4.abimethod
    def buy_twice(self, payment: gtxn.PaymentTransaction) -> None:
        """One group of two inner transfers."""
        assert payment.receiver == Global.current_application_address, "the payment goes to the sale"
        half = payment.amount // self.price // 2
        transfer = itxn.AssetTransfer(xfer_asset=self.token, asset_receiver=Txn.sender, asset_amount=half, fee=0)
        second = transfer.copy()
        second.set(note=b"second half")
        first_sent, second_sent = itxn.submit_txns(transfer, second)
        assert first_sent.asset_amount == second_sent.asset_amount
        self.sold += half * 2

    @arc4.abimethod
    def withdraw(self) -> UInt64:
        """Pays the creator what the account can spare."""
        assert Txn.sender == Global.creator_address, "only the creator withdraws"
        here = Global.current_application_address
        amount = here.balance - here.min_balance
        itxn.Payment(receiver=Txn.sender, amount=amount, fee=0).submit()
        return amount

    @arc4.abimethod(allow_actions=["DeleteApplication"])
    def close(self) -> None:
        assert Txn.sender == Global.creator_address, "only the creator closes"
        itxn.AssetConfig(config_asset=self.token, fee=0).submit()
        itxn.Payment(receiver=Txn.sender, amount=0, close_remainder_to=Txn.sender, fee=0).submit()

    @subroutine
    def send(self, amount: UInt64) -> None:
        _holding, is_holder = op.AssetHoldingGet.asset_balance(Txn.sender, self.token)
        assert is_holder, "the buyer has not opted in to the token"
        itxn.AssetTransfer(xfer_asset=self.token, asset_receiver=Txn.sender, asset_amount=amount, fee=0).submit()
