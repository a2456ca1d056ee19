// C7, the team: its name, its members and their roles, and invitations.
import { useState } from 'preact/hooks'
import { toHref } from '../address.ts'
import { useEdit } from '../changes.ts'
import { readAll, useLoad } from '../load.ts'
import { Secret } from '../parts/copied.tsx'
import { ConfirmButton, Dialog } from '../parts/dialog.tsx'
import { ChoiceField, Form, TextField } from '../parts/form.tsx'
import { Empty, Failure, Head, Waiting } from '../parts/notices.tsx'
import { ShortTable } from '../parts/short-table.tsx'
import { say } from '../parts/toasts.tsx'
import { Fact, formatNumber, When } from '../parts/values.tsx'
import type { Invitation, Member, MemberRole, Team } from '../rows.ts'
import { api, may } from '../session.ts'

const roles = [
  ['viewer', 'viewer: reads everything but keys, and searches'],
  ['editor', 'editor: also changes projects and sources, and starts syncs'],
  ['maintainer', 'maintainer: also creates and deletes projects, chats and keys'],
  ['administrator', 'administrator: everything'],
] as const satisfies [MemberRole, string][]

export function Screen() {
  const { value, error, reload } = useLoad((signal) => api.get<Team>('team/', {}, signal), [])
  if (value === null) return error ? <Failure error={error} onRetry={reload} /> : <Waiting />
  return (
    <section>
      <Head title="Team" />
      <About team={value} />
      <Members />
      <Invitations />
    </section>
  )
}

function About({ team }: { team: Team }) {
  const { subscription, trial } = team
  const limit = subscription.page_limit
  return (
    <div class="card">
      {may('team_update') ? <NameForm team={team} /> : <h2>{team.name}</h2>}
      <dl class="facts">
        <Fact name="Plan">{`${subscription.plan.replaceAll('_', '-')}, ${subscription.status}`}</Fact>
        <Fact name="Page limit">{limit === null ? 'none' : `${formatNumber(limit)} a project`}</Fact>
        {trial.active && (
          <Fact name="Trial ends">
            <When at={trial.ends_at} />
          </Fact>
        )}
        <Fact name="UUID">{team.uuid}</Fact>
      </dl>
    </div>
  )
}

const toName = (answer: unknown) => ({ name: (answer as { name: string }).name })

function NameForm({ team }: { team: Team }) {
  const { draft, setDraft, save } = useEdit({ path: 'team/', opened: team, toForm: toName })
  async function send() {
    say((await save()) ? 'The team was renamed.' : 'Nothing was changed.')
  }
  return (
    <Form submit="Rename" onSubmit={send}>
      <TextField name="name" label="Name" value={draft.name} onChange={(name) => setDraft({ name })} />
    </Form>
  )
}

const readMembers = (signal?: AbortSignal) => readAll<Member>('team/members/', {}, signal)

function Members() {
  const members = useLoad(readMembers, [])
  const [open, setOpen] = useState<Member | null>(null)
  const canChange = may('team_update')
  return (
    <div class="card">
      <h2>Members</h2>
      <ShortTable
        rows={members}
        label="Members"
        titles={['Name', 'E-mail', 'Role', 'Since', ...(canChange ? ['Actions'] : [])]}
        empty={<Empty title="The team has no members">A person who accepts an invitation becomes one.</Empty>}
      >
        {(member) => (
          <tr key={member.uuid}>
            <td>{member.name}</td>
            <td>{member.email}</td>
            <td>{member.role}</td>
            <td>
              <When at={member.created_at} />
            </td>
            {canChange && (
              <td class="row">
                <button type="button" aria-label={`Change ${member.name}`} onClick={() => setOpen(member)}>
                  Change
                </button>
                <ConfirmButton
                  label="Remove"
                  title={`Remove ${member.name}?`}
                  onConfirm={async () => {
                    await api.delete(`team/members/${member.uuid}/`)
                    say(`${member.name} was removed.`)
                    members.reload()
                  }}
                >
                  <p>The member’s personal keys stop working at once.</p>
                </ConfirmButton>
              </td>
            )}
          </tr>
        )}
      </ShortTable>
      {open && (
        <Dialog title={`Change ${open.name}`} onClose={() => setOpen(null)}>
          <MemberForm
            member={open}
            whenSaved={() => {
              setOpen(null)
              members.reload()
            }}
          />
        </Dialog>
      )}
    </div>
  )
}

const toMember = (answer: unknown) => {
  const { name, role } = answer as Member
  return { name, role }
}

function MemberForm({ member, whenSaved }: { member: Member; whenSaved(): void }) {
  const { draft, setDraft, save } = useEdit({
    path: `team/members/${member.uuid}/`,
    opened: member,
    toForm: toMember,
    // A single member cannot be read, only the list.
    async read() {
      const now = (await readMembers()).find(({ uuid }) => uuid === member.uuid)
      if (!now) throw new Error(`${member.name} was removed meanwhile.`)
      return now
    },
  })
  async function send() {
    say((await save()) ? `${draft.name} was changed.` : 'Nothing was changed.')
    whenSaved()
  }
  return (
    <Form submit="Save" onSubmit={send}>
      <TextField
        name="name"
        label="Name"
        value={draft.name}
        onChange={(name) => setDraft({ ...draft, name })}
      />
      <ChoiceField
        name="role"
        label="Role"
        options={roles}
        value={draft.role}
        onChange={(role) => setDraft({ ...draft, role: role as MemberRole })}
      />
    </Form>
  )
}

function Invitations() {
  const invitations = useLoad((signal) => readAll<Invitation>('team/invitations/', {}, signal), [])
  const [link, setLink] = useState<{ email: string; link: string } | null>(null)
  const canChange = may('team_update')
  return (
    <div class="card">
      <h2>Invitations</h2>
      <ShortTable
        rows={invitations}
        label="Invitations"
        titles={['E-mail', 'Role', 'Sent', 'Expires', ...(canChange ? ['Actions'] : [])]}
        empty={<p class="quiet">No invitation is open.</p>}
      >
        {({ uuid, email, role, created_at, expires_at }) => (
          <tr key={uuid}>
            <td>{email}</td>
            <td>{role}</td>
            <td>
              <When at={created_at} />
            </td>
            <td>
              <When at={expires_at} />
            </td>
            {canChange && (
              <td>
                <ConfirmButton
                  label="Withdraw"
                  title={`Withdraw the invitation of ${email}?`}
                  onConfirm={async () => {
                    await api.delete(`team/invitations/${uuid}/`)
                    say(`The invitation of ${email} was withdrawn.`)
                    invitations.reload()
                  }}
                >
                  <p>Its link stops working at once.</p>
                </ConfirmButton>
              </td>
            )}
          </tr>
        )}
      </ShortTable>
      {link && (
        <Secret label="Link of the invitation" text={link.link}>
          Send this link to {link.email}. Lectern sends no e-mail itself.
        </Secret>
      )}
      {canChange && (
        <InvitationForm
          whenSent={(email, token) => {
            setLink({ email, link: new URL(`${toHref('')}#invitation=${token}`, location.href).href })
            invitations.reload()
          }}
        />
      )}
    </div>
  )
}

function InvitationForm({ whenSent }: { whenSent(email: string, token: string): void }) {
  const [email, setEmail] = useState('')
  const [role, setRole] = useState<string>('viewer')
  async function send() {
    const { token } = await api.post<{ token: string }>('team/invitations/', { email: email.trim(), role })
    whenSent(email.trim(), token)
    setEmail('')
  }
  return (
    <Form submit="Invite" onSubmit={send}>
      <TextField name="email" label="E-mail" type="email" value={email} onChange={setEmail} />
      <ChoiceField name="role" label="Role" options={roles} value={role} onChange={setRole} />
    </Form>
  )
}
