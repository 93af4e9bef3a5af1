from starcloak.cli import main

main()
