// Words that a reader and a manual use for the same thing: plain English on one side, what documentation of software
// writes on the other. Of no subject in particular; what only one program means by a word has no place here.
import { stem } from '../index/stem.ts'

/** Each group between semicolons: any of its words may stand for any other. A word may be in several. */
const groups = `
  delete remove drop erase discard destroy; vanish disappear delete remove; clear empty reset flush; throw
  raise; throw discard; away discard remove; kill terminate stop cancel abort end interrupt; stop shutdown
  quit exit; stop prevent disable suppress; start launch run execute begin invoke spawn; startup boot start;
  folder directory; subfolder subdirectory; ram memory; disk storage space; fast speed performance quick
  efficient; slow performance speed; speed accelerate optimize; list show display print view enumerate; see
  show view display; make create build construct generate produce; change modify alter update edit adjust;
  swap exchange replace substitute; check verify validate test ensure; copy duplicate clone replicate; replica
  standby secondary; sort order collate; rank relevance order; arrange layout order; find search look locate
  lookup; error exception failure fault; fail error failure; crash fail abort; damaged corrupt broken; fix
  repair correct resolve; solve resolve; save store write keep persist; load read open; join concatenate
  combine merge; glue concatenate join; split divide partition separate; cut truncate split trim; convert turn
  transform cast translate; turn enable disable; allow permit grant enable let; forbid deny disallow prevent
  prohibit; avoid prevent; ignore skip exclude; limit restrict maximum cap; minimum least lowest; maximum
  largest highest; size length; long longer duration time timeout; second timeout duration; huge large big;
  small tiny little; count number amount quantity; wait block sleep delay pause; lock block; hide mask
  suppress conceal; secret password credential; secret private hidden; safe secure; safety security; user role
  account; login authenticate connect; rights permission privilege access; send transmit post; notify tell
  inform signal; listen receive subscribe; receive get fetch retrieve obtain; download fetch retrieve; typo
  misspell similar fuzzy; tolerate ignore allow; compare equal match; same equal identical; difference differ
  compare; choose select pick; language locale; text string; word string token; machine host server computer;
  screen terminal console; terminal shell console; option flag argument parameter switch; setting
  configuration parameter option; config configuration; attribute property field member; function method
  procedure routine; call invoke; parent base super; child sub derived; inherit derive subclass; repeat loop
  iterate; again repeat retry; unique distinct; duplicate repeat; empty blank null; missing absent; undo
  rollback revert restore recover; lost recover restore; accident mistake recover; backup dump snapshot;
  restart reload; upgrade update migrate; new latest recent; newest latest recent; old previous former;
  install setup; package module library; plugin extension addon; ship distribute publish package; watch
  monitor observe track; trace track profile; consume use eat; grow increase expand; shrink reduce decrease;
  raise increase; lower reduce decrease; money decimal currency monetary; time date timestamp; moment time;
  clock time; day date; month date; age interval; web http url internet; page document; site website; link url
  reference; temporary temp; simultaneous concurrent parallel; concurrent parallel asynchronous; background
  asynchronous daemon; schedule timer periodic cron; regularly periodic schedule; automatic automatically
  auto; manually explicitly; regular expression regex pattern; mail email; annotate annotation hint; callback
  callable handler; ask prompt request; enter input type; keyboard input key; echo show display; pretend
  simulate emulate; fake mock stub; risk loss unsafe; explain describe; usable available; immediate once
  instantly; client connection session; row record tuple; column field; line row; database db; thread process
  worker; job task; queue worker; picture image; color colour; number integer numeric; whole integer; fraction
  decimal float; random arbitrary; guess detect infer; read parse; understand interpret parse; write output;
  print output; show report; measure time profile benchmark; nested recursive; recursive tree; inside embed
  within; include embed contain; outside external; foreign external remote; remote server; local host; name
  identifier; rename name; label tag name; mark flag tag; comment note; letter character; uppercase capital;
  case lowercase uppercase; unicode encoding character; encode encoding; encrypt cipher; hash digest checksum;
  sign signature; compress zip archive; unpack extract; round precision; precise exact accurate; wrong
  incorrect invalid; valid correct; right correct; broken invalid; warn warning; debug troubleshoot diagnose;
  bug defect problem; problem issue error; trouble problem; version release; publish release; history log;
  past history; log record; author owner creator; own owner; belong owner; share common; team group; group
  aggregate category; total sum; sum aggregate; average mean; per each every; only exclusive; once single;
  several multiple many; both multiple; first initial; last final; default standard; custom user-defined;
  optional default; require must mandatory; need require; depend dependency require; happen occur; cause
  reason; reason why; meaning mean definition; example sample tutorial; guide tutorial howto; format layout
  syntax; style format; table relation; list array sequence; array list vector; dictionary map mapping; key
  index; order sequence; object instance; class type; kind type; value content; content body; data
  information; information info; port socket; network connection; timeout expire; expire lifetime; fresh new;
  reuse recycle; share shared; memory cache; cache buffer; cross between; other another; quote escape; blank
  space whitespace; tab indent; indent indentation; window gui; button widget`

const others = readGroups()

/** Stems of the words that may stand for the one with this stem; none for most words. */
export function synonymsOf(root: string): ReadonlySet<string> {
  return others.get(root) ?? none
}

const none: ReadonlySet<string> = new Set()

function readGroups(): Map<string, Set<string>> {
  const found = new Map<string, Set<string>>()
  for (const group of groups.split(';')) {
    const roots = group.trim().split(/\s+/u).map(stem)
    for (const root of roots) {
      const known = found.get(root) ?? new Set()
      for (const other of roots) if (other !== root) known.add(other)
      found.set(root, known)
    }
  }
  return found
}
