// A new key: its use, projects and expiry. Offers only permissions that the caller's key has, because others cannot be granted.
import { useState } from 'preact/hooks'
import { useStore } from '../../components/store.ts'
import { keyUses, permissionGroups } from '../key-uses.ts'
import { ChoiceField, Complaint, Form, TextField } from '../parts/form.tsx'
import { projects } from '../projects.ts'
import type { Permission } from '../rows.ts'
import { api, may, session } from '../session.ts'

interface KeyFormProps {
  whenMade(key: { name: string; key: string }): void
  onCancel(): void
}

const dayMs = 86_400_000
const lifetimes = [
  ['', 'never'],
  ['30', 'in 30 days'],
  ['90', 'in 90 days'],
  ['365', 'in a year'],
] as const

export function KeyForm({ whenMade, onCancel }: KeyFormProps) {
  const own = useStore(session)?.own
  const known = useStore(projects)
  const [name, setName] = useState('')
  const [chosen, setChosen] = useState<Permission[]>([])
  // A key for certain projects cannot create one for all projects.
  const [slugs, setSlugs] = useState<string[] | null>(own?.projects ?? null)
  const [days, setDays] = useState('')
  const uses = Object.entries(keyUses).filter(([, { permissions }]) => permissions.every(may))
  const use = uses.find(([, { permissions }]) => isSame(permissions, chosen))?.[0] ?? ''

  async function create() {
    const expires_at = days === '' ? null : new Date(Date.now() + Number(days) * dayMs).toISOString()
    const body = { name, permissions: chosen, projects: slugs, expires_at }
    whenMade(await api.post<{ name: string; key: string }>('keys/', body))
  }

  return (
    <Form
      submit="Create the key"
      onSubmit={create}
      actions={
        <button type="button" onClick={onCancel}>
          Cancel
        </button>
      }
    >
      <TextField
        name="name"
        label="Name"
        value={name}
        onChange={setName}
        hint="Where it is used, so that you know later what revoking it stops."
      />
      <ChoiceField
        name="use"
        label="For"
        value={use}
        options={[['', 'what is checked below'], ...uses.map(([id, { title }]) => [id, title] as const)]}
        onChange={(id) => setChosen(keyUses[id]?.permissions ?? [])}
      />
      {permissionGroups.map(([title, permissions]) => (
        <Checks
          key={title}
          title={title}
          options={permissions.filter(may)}
          chosen={chosen}
          onChange={setChosen}
        />
      ))}
      <Complaint name="permissions" />
      {own?.projects === null && (
        <ChoiceField
          name="projects"
          label="Projects"
          value={slugs === null ? '' : 'some'}
          options={[
            ['', 'all of the team, later ones too'],
            ['some', 'these'],
          ]}
          onChange={(choice) => setSlugs(choice === '' ? null : [])}
        />
      )}
      {slugs !== null && (
        <Checks
          title="Valid for"
          options={own?.projects ?? known.map(({ slug }) => slug)}
          chosen={slugs}
          onChange={setSlugs}
        />
      )}
      <ChoiceField name="expires_at" label="Expires" value={days} options={lifetimes} onChange={setDays} />
    </Form>
  )
}

const isSame = (a: string[], b: string[]) => a.length === b.length && a.every((each) => b.includes(each))

interface ChecksProps<T extends string> {
  title: string
  options: T[]
  chosen: T[]
  onChange(chosen: T[]): void
}

function Checks<T extends string>({ title, options, chosen, onChange }: ChecksProps<T>) {
  if (options.length === 0) return null
  return (
    <fieldset class="checks">
      <legend class="label">{title}</legend>
      {options.map((each) => (
        <label key={each}>
          <input
            type="checkbox"
            checked={chosen.includes(each)}
            onChange={({ currentTarget: { checked } }) =>
              onChange(checked ? [...chosen, each] : chosen.filter((other) => other !== each))
            }
          />
          {each}
        </label>
      ))}
    </fieldset>
  )
}
