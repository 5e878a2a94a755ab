from algopy import Account, ARC4Contract, Asset, Global, LocalState, Txn, UInt64, arc4, gtxn, itxn


class Auction(ARC4Contract):
    """Sells one asset to the highest bidder; who was outbid claims the bid back."""

    def __init__(self) -> None:
        self.asset = Asset()
        self.amount = UInt64(0)
        self.ends = UInt64(0)
        self.highest = UInt64(0)
        self.bidder = Account()
        self.claimable = LocalState(UInt64, key="claimable")

    @arc4.abimethod
    def take(self, asset: Asset) -> None:
        """Opts the auction in to the asset that it will sell."""
        assert Txn.sender == Global.creator_address, "only the creator decides what is sold"
        assert not self.asset, "the asset is decided"
        self.asset = asset
        itxn.AssetTransfer(
            xfer_asset=asset, asset_receiver=Global.current_application_address, fee=0
        ).submit()

    @arc4.abimethod
    def start(self, deposit: gtxn.AssetTransferTransaction, lowest: UInt64, seconds: UInt64) -> None:
        assert Txn.sender == Global.creator_address, "only the creator starts"
        assert not self.ends, "the auction has started"
        assert deposit.asset_receiver == Global.current_application_address, "the deposit goes to the auction"
        assert deposit.xfer_asset == self.asset, "another asset is sold here"
        self.amount = deposit.asset_amount
        self.ends = Global.latest_timestamp + seconds
        self.highest = lowest

    @arc4.abimethod(allow_actions=["OptIn"])
    def enter(self) -> None:
        self.claimable[Txn.sender] = UInt64(0)

    @arc4.abimethod
    def bid(self, payment: gtxn.PaymentTransaction) -> None:
        assert Global.latest_timestamp < self.ends, "the auction has ended"
        assert payment.sender == Txn.sender, "who pays is who bids"
        assert payment.receiver == Global.current_application_address, "the bid goes to the auction"
        assert payment.amount > self.highest, "the bid is not higher"
        self.highest = payment.amount
        self.bidder = Txn.sender
        self.claimable[Txn.sender] += payment.amount

    @arc4.abimethod
    def claim_back(self) -> UInt64:
        """Pays the caller all bids but the winning one."""
        amount = self.claimable[Txn.sender]
        if Txn.sender == self.bidder:
            amount -= self.highest
        self.claimable[Txn.sender] -= amount
        itxn.Payment(receiver=Txn.sender, amount=amount, fee=0).submit()
        return amount

    @arc4.abimethod
    def claim_asset(self, asset: Asset) -> None:
        assert Global.latest_timestamp >= self.ends, "the auction goes on"
        itxn.AssetTransfer(
            xfer_asset=asset,
            asset_receiver=self.bidder,
            asset_close_to=self.bidder,
            asset_amount=self.amount,
            fee=0,
        ).submit()

    @arc4.abimethod(allow_actions=["DeleteApplication"])
    def end(self) -> None:
        assert Txn.sender == Global.creator_address, "only the creator ends"
        itxn.Payment(receiver=Txn.sender, close_remainder_to=Txn.sender, fee=0).submit()
