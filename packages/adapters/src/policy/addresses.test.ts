import { expect, test } from 'vitest';
import { type AddressClass, classifyAddress } from './addresses.ts';

const table: Readonly<Record<AddressClass, readonly string[]>> = {
  public: ['93.184.216.34', '8.8.8.8', '172.32.0.1', '2606:4700::1111', '2a00:1450:4001::1', '::ffff:8.8.8.8'],
  loopback: ['127.0.0.1', '127.255.255.254', '::1', '::ffff:127.0.0.1', '::ffff:7f00:1'],
  private: ['10.0.0.5', '172.16.3.4', '192.168.1.1', '100.64.0.1', 'fd00::1', 'fc00::1', '::ffff:10.0.0.5'],
  forbidden: [
    '0.0.0.0',
    '0.1.2.3',
    '169.254.169.254',
    '224.0.0.1',
    '255.255.255.255',
    '240.0.0.1',
    '198.18.0.1',
    '192.0.0.192',
    '100.100.100.200',
    '::',
    '::127.0.0.1',
    '::7f00:1',
    '::8.8.8.8',
    'fe80::1',
    'fe80::1%eth0',
    'fec0::1',
    'ff02::1',
    'fd00:ec2::254',
    '64:ff9b::7f00:1',
    '64:ff9b:1::a00:5',
    '2002:7f00:1::',
    '2001::1',
    '2001:db8::1',
    '::ffff:0:127.0.0.1',
    '::ffff:169.254.169.254',
    '4000::1',
    '',
    'localhost',
  ],
};

test.each(Object.entries(table).flatMap(([kind, addresses]) => addresses.map((one) => [one, kind])))(
  'no call goes astray because %j was not taken for %s',
  (address, kind) => {
    expect(classifyAddress(address)).toBe(kind);
  },
);
