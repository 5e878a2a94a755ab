"""The published client for Python: buys each address once with requests or httpx, and prints what its caller is given."""

import asyncio
import base64
import json
import sys

import algosdk
from x402 import x402Client, x402ClientSync
from x402.http.clients.httpx import wrapHttpxWithPayment
from x402.http.clients.requests import x402_requests
from x402.mechanisms.avm.exact import ExactAvmScheme

library, algod_url, private_key, *urls = sys.argv[1:]


class Signer:
    address = algosdk.encoding.encode_address(base64.b64decode(private_key)[32:])

    def sign_transactions(self, transactions, indexes):
        return [self.sign(one) if index in indexes else None for index, one in enumerate(transactions)]

    def sign(self, transaction):
        # This SDK reads and writes base64.
        decoded = algosdk.encoding.msgpack_decode(base64.b64encode(transaction).decode())
        return base64.b64decode(algosdk.encoding.msgpack_encode(decoded.sign(private_key)))


def show(response):
    print("given", json.dumps([response.status_code, response.json()["goods"]]))


async def buy_with_httpx():
    client = x402Client()
    client.register("algorand:*", ExactAvmScheme(Signer(), algod_url))
    async with wrapHttpxWithPayment(client) as http:
        for url in urls:
            show(await http.get(url))


def buy_with_requests():
    client = x402ClientSync()
    client.register("algorand:*", ExactAvmScheme(Signer(), algod_url))
    session = x402_requests(client)
    for url in urls:
        show(session.get(url))


if library == "httpx":
    asyncio.run(buy_with_httpx())
else:
    buy_with_requests()
