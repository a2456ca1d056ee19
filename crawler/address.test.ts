import fc from 'fast-check'
import { expect, test } from 'vitest'
import { isPublicAddress, readAllowList } from './address.ts'

const special =
  `0.0.0.0 0.1.2.3 10.0.0.1 100.64.0.1 100.127.255.255 127.0.0.1 169.254.169.254 172.16.0.1 172.31.255.255
  192.0.0.1 192.0.2.1 192.88.99.1 192.168.1.1 198.18.0.1 198.19.255.255 198.51.100.1 203.0.113.1 224.0.0.1
  239.255.255.255 240.0.0.1 255.255.255.255 168.63.129.16`.split(/\s+/)
const open =
  '1.1.1.1 8.8.8.8 93.184.216.34 100.63.255.255 100.128.0.0 172.15.255.255 172.32.0.0 223.255.255.255'.split(
    ' ',
  )

const hex = (ip: string) => {
  const [a = 0, b = 0, c = 0, d = 0] = ip.split('.').map(Number)
  return `${((a << 8) | b).toString(16)}:${((c << 8) | d).toString(16)}`
}
const inverted = (ip: string) =>
  ip
    .split('.')
    .map((part) => 255 - Number(part))
    .join('.')

/** Every form in which IPv6 carries an IPv4 address. */
const carriers: Record<string, (ip: string) => string> = {
  mapped: (ip) => `::ffff:${ip}`,
  'mapped in hex': (ip) => `::ffff:${hex(ip)}`,
  translated: (ip) => `::ffff:0:${hex(ip)}`,
  compatible: (ip) => `::${hex(ip)}`,
  NAT64: (ip) => `64:ff9b::${hex(ip)}`,
  '6to4': (ip) => `2002:${hex(ip)}::1`,
  Teredo: (ip) => `2001:0:4136:e378:8000:63bf:${hex(inverted(ip))}`,
}

test.each(special)('%s is not public, nor is its IPv6 form', (ip) => {
  expect(isPublicAddress(ip)).toBe(false)
  for (const carry of Object.values(carriers))
    expect([carry(ip), isPublicAddress(carry(ip))]).toEqual([carry(ip), false])
})

test.each(open)('%s is public, and so is its IPv6 form', (ip) => {
  expect(isPublicAddress(ip)).toBe(true)
  for (const carry of Object.values(carriers))
    expect([carry(ip), isPublicAddress(carry(ip))]).toEqual([carry(ip), true])
})

test.each(
  `:: ::1 fe80::1 febf::1 fec0::1 fc00::1 fdff::1 ff02::1 100::1 2001:db8::1 3fff::1 2001:2::1 2001:10::1
  2001:20::1 64:ff9b:1::7f00:1 64:ff9b:1::808:808 4000::1 5f00::1 fe80::1%eth0`.split(/\s+/),
)('%s is not public', (ip) => {
  expect(isPublicAddress(ip)).toBe(false)
})

test.each(['2606:4700:4700::1111', '2a00:1450:4001:830::200e', '2620:fe::fe'])('%s is public', (ip) => {
  expect(isPublicAddress(ip)).toBe(true)
})

test('rejects text that is no address', () => {
  fc.assert(fc.property(fc.stringMatching(/^[g-z ]*$/), (text) => !isPublicAddress(text)))
})

test('judges an embedded address as the address itself, and accepts no others outside 2000::/3', () => {
  fc.assert(
    fc.property(fc.ipV4(), (ip) => {
      for (const carry of Object.values(carriers))
        expect(isPublicAddress(carry(ip))).toBe(isPublicAddress(ip))
    }),
  )
  fc.assert(
    fc.property(
      fc.integer({ min: 0x4000, max: 0xffff }),
      fc.integer({ min: 0, max: 0xffff }),
      (head, tail) => {
        expect(isPublicAddress(`${head.toString(16)}::${tail.toString(16)}`)).toBe(false)
      },
    ),
  )
})

test('reads hosts, hosts with a port, and address blocks in the allow list', () => {
  const allow = readAllowList('Docs.corp, wiki.corp:8443,10.1.0.0/16, [::1]:80, fd00::/8, 192.168.0.9')
  expect(allow.hasHost('docs.corp', 443)).toBe(true)
  expect(allow.hasHost('wiki.corp', 8443)).toBe(true)
  expect(allow.hasHost('wiki.corp', 443)).toBe(false)
  expect(allow.hasHost('x.docs.corp', 443)).toBe(false)
  expect(allow.hasHost('::1', 80)).toBe(true)
  expect(allow.hasHost('192.168.0.9', 8080)).toBe(true)
  expect(allow.hasAddress('10.1.2.3')).toBe(true)
  expect(allow.hasAddress('::ffff:10.1.2.3')).toBe(true)
  expect(allow.hasAddress('10.2.0.1')).toBe(false)
  expect(allow.hasAddress('fd12::1')).toBe(true)
  expect(readAllowList('').hasAddress('127.0.0.1')).toBe(false)
})

test.each(['10.0.0.0/33', 'http://docs.corp', 'a b', 'docs.corp:70000', '*.corp', '/24'])(
  'rejects %s with its name',
  (part) => {
    expect(() => readAllowList(`ok.corp,${part}`)).toThrow(part)
  },
)
