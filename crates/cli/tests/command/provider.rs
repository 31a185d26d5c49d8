//! Installing the Terraform provider.

use insta::assert_snapshot;

use crate::support::shell::Shell;

/// What the installation takes for the provider.
const PROVIDER: &str = "#!/bin/sh\necho terraform-provider-denobridge 0.4.1\n";

#[tokio::test]
async fn the_provider_is_put_where_init_finds_it() {
    let mut shell = Shell::new();
    shell.program("provider", PROVIDER);
    let home = "HOME=$PWD/home tenon provider install --binary provider";
    shell.run(&format!("{home} --mirror mirror")).await;
    shell
        .run("find mirror -type f -printf '%m %P\\n' | sort")
        .await;
    shell
        .run("cmp provider mirror/*.io/*/*/*/*/terraform*")
        .await;
    shell
        .run(&format!("{home} --write-config --for tofu"))
        .await;
    shell.run("cat home/.tofurc").await;
    // A second time nothing is left to be done, and what a user wrote is left alone.
    shell.run("echo '# mine' >> home/.tofurc").await;
    shell
        .run(&format!("{home} --write-config --for tofu"))
        .await;
    shell.run("tail -n 1 home/.tofurc").await;
    // A file that another command of Tenon wrote is extended.
    let packed = "sed 's|brad-jones/denobridge|tenon/*|'";
    shell
        .run(&format!(
            "head -n -1 home/.tofurc | {packed} > home/.terraformrc"
        ))
        .await;
    shell
        .run(&format!("{home} --write-config --for terraform"))
        .await;
    shell.run("cat home/.terraformrc").await;
    let json = format!("{home} --mirror mirror --as-version 1.2.3 --for terraform --json");
    shell.run(&json).await;
    assert_snapshot!(shell.transcript().replace(&platform(), "[platform]"));
}

/// The file that is written is the one that the programs read.
#[tokio::test]
async fn the_configuration_is_written_where_it_is_read() {
    let mut shell = Shell::new();
    shell.program("provider", PROVIDER);
    let install = "tenon provider install --binary provider --mirror mirror";
    // A file that a variable names is the only one that is read.
    let named = "HOME=$PWD/a TF_CLI_CONFIG_FILE=$PWD/named.rc";
    shell.run(&format!("{named} {install}")).await;
    shell
        .run(&format!("{named} {install} --write-config"))
        .await;
    shell.run("ls named.rc; ls -A a").await;
    let old = "HOME=$PWD/a TF_CLI_CONFIG_FILE= TERRAFORM_CONFIG=$PWD/old.rc";
    shell
        .run(&format!("{old} {install} --write-config --for terraform"))
        .await;
    // OpenTofu reads Terraform's file unless it has its own.
    let home = "HOME=$PWD/b XDG_CONFIG_HOME=$PWD/b/config";
    shell.run(&format!("{home} {install} --write-config")).await;
    shell
        .run(&format!("HOME=$PWD/c {install} --write-config --for tofu"))
        .await;
    let home = "HOME=$PWD/d XDG_CONFIG_HOME=$PWD/d/config";
    shell
        .run(&format!("{home} {install} --write-config --for tofu"))
        .await;
    shell.run("find a b c d -type f 2> /dev/null | sort").await;
    // Only one such block may be there.
    shell.file(
        "other.rc",
        "# mine\nprovider_installation {\n  direct {}\n}\n",
    );
    let other = "HOME=$PWD/a TF_CLI_CONFIG_FILE=$PWD/other.rc";
    shell
        .run(&format!("{other} {install} --for terraform"))
        .await;
    assert_snapshot!(shell.transcript().replace(&platform(), "[platform]"));
}

#[tokio::test]
async fn what_cannot_be_installed() {
    let mut shell = Shell::new();
    shell.file("plain", "");
    shell
        .run("HOME=$PWD tenon provider install --binary plain")
        .await;
    shell
        .run("HOME=$PWD tenon provider install --binary missing")
        .await;
    shell.program("other", "#!/bin/sh\necho other 1.0\n");
    shell
        .run("HOME=$PWD tenon provider install --binary other")
        .await;
    shell.program("broken", "#!/no/such/interpreter\n");
    shell
        .run("HOME=$PWD tenon provider install --binary broken")
        .await;
    shell.run("tenon provider install --as-version ../1").await;
    shell.run("tenon provider install --for pulumi").await;
    shell.program("provider", PROVIDER);
    shell
        .run("tenon provider install --binary provider --mirror plain/inside")
        .await;
    assert_snapshot!(shell.transcript().replace(&platform(), "[platform]"));
}

/// As Terraform calls the machine that this runs on.
fn platform() -> String {
    let processor = match std::env::consts::ARCH {
        "x86_64" => "amd64",
        "aarch64" => "arm64",
        other => other,
    };
    format!("{}_{processor}", std::env::consts::OS)
}
